import CommandLineSupport
import Reachability

/// The command's outermost part: arguments in, exit status out.
struct CommandLineTool {
  var output: StandardOutput

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
    do throws(NetworkMonitorError) {
      let monitor = try NetworkMonitor.living(inside: invocation.namespace)
      if ![.check, .explain].contains(invocation.command),
        invocation.command != .path || invocation.isWatching
      {
        try Descriptors.check()
      }
      switch invocation.command {
      case .watch: return WatchCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .wait: return WaitCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .path: return PathCommand(invocation: invocation, monitor: monitor, output: output).run()
      case .explain: return try ExplainCommand(invocation: invocation, monitor: monitor, output: output).run()
      default: return CheckCommand(invocation: invocation, monitor: monitor, output: output).run()
      }
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
  }
}
