import CommandLineSupport

extension Option {
  /// Makes an option that goes with some of the commands.
  init(
    _ name: String, takes valueName: String? = nil,
    accepts accepted: @autoclosure @escaping @Sendable () -> String = "", commands: [Invocation.Command]
  ) {
    self.init(name, takes: valueName, accepts: accepted(), commands: commands.map(\.rawValue))
  }
}
