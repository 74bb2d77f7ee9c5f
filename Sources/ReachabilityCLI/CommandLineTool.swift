import CommandLineSupport
import ReachabilityKit

/// The command `reachability`: arguments in, exit status out.
struct CommandLineTool {
  var output: StandardOutput

  /// The most threads that an observing command needs: the library's, Dispatch's and those of tasks.
  private static var threadCount: Int { 8 }

  /// Runs the command that the arguments name; the first argument is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    if let separate = SeparateCommand(arguments, output) { return separate.run() }
    let description = CommandDescription("reachability", help: Usage.text, options: Invocation.options)
    return description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try Invocation(parsed) }, run)
  }

  private func run(_ invocation: Invocation) -> Int32 {
    do throws(ReachabilityMonitorError) {
      let monitor = try ReachabilityMonitor.monitor(of: invocation.namespace)
      if invocation.observes { try Descriptors.check() }
      if invocation.observes || invocation.probedPort != nil {
        try requireThreads(Self.threadCount + invocation.endpoints.count)
      }
      switch invocation.command {
      case .check: return CheckCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .watch: return try WatchCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .record: return try RecordCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .wait: return try WaitCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .path: return try PathCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .explain: return try ExplainCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .export: return try ExportCommand(invocation: invocation, monitor: monitor, output: output).run()
      }
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
  }
}

extension ReachabilityMonitor {
  /// Returns a monitor of a network namespace, or the shared monitor of the command's own.
  ///
  /// The shared monitor lasts until the process ends, which frees everything at once and faster than a monitor does.
  static func monitor(of namespace: ReachabilityNamespace?) throws(ReachabilityMonitorError)
    -> ReachabilityMonitor
  {
    if let namespace { try ReachabilityMonitor(in: namespace) } else { try .availableShared() }
  }
}
