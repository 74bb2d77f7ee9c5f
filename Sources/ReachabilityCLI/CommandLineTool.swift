import CommandLineSupport
import ReachabilityKit

/// The command's outermost part: arguments in, exit status out.
struct CommandLineTool {
  var output: StandardOutput

  /// How many threads a command takes at most that waits: the library's, and those of Dispatch and of tasks.
  private static var threadCount: Int { 8 }

  /// Runs the command that the arguments ask for; the first argument is the program's name.
  func run(_ arguments: [String]) -> Int32 {
    if let verify = VerifyCommand(arguments, output) { return verify.run() }
    let invocation: Invocation
    do throws(UsageError) {
      invocation = try Invocation(arguments)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    switch invocation.command {
    case .help:
      return output.exitStatus(output.write(Usage.text), else: ExitStatus.success)
    case .version:
      return output.exitStatus(output.write("reachability \(packageVersion)\n"), else: ExitStatus.success)
    case .check, .watch, .wait, .path, .explain:
      break
    }
    do throws(ReachabilityMonitorError) {
      let monitor = try ReachabilityMonitor.living(inside: invocation.namespace)
      let observes =
        ![.check, .explain].contains(invocation.command)
        && (invocation.command != .path || invocation.isWatching)
      if observes { try Descriptors.check() }
      if observes || invocation.probedPort != nil { try requireThreads(Self.threadCount) }
      switch invocation.command {
      case .watch: return try WatchCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .wait: return try WaitCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .path: return try PathCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .explain: return try ExplainCommand(invocation: invocation, monitor: monitor, output: output).run()
      default: return CheckCommand(invocation: invocation, monitor: monitor, output: output).run()
      }
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
  }
}
