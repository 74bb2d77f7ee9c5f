import CommandLineSupport

extension Option {
  /// Creates an option that some of the commands accept.
  init(
    _ name: String, takes valueName: String? = nil,
    accepts accepted: @autoclosure @escaping @Sendable () -> String = "", commands: [Invocation.Command]
  ) {
    self.init(name, takes: valueName, accepts: accepted(), commands: commands.map(\.rawValue))
  }
}
