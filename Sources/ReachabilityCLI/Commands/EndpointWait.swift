import CommandLineSupport
import Dispatch
import Synchronization

/// The wait of `wait --verify` for endpoints, which the separate command verifies again and again.
///
/// It sends requests only while the targets are as requested, and not more than one a second, except after a change.
final class EndpointWait: Sendable {
  private let program: ChildProgram
  private let output: StandardOutput
  private let areTargetsReady = Mutex(false)
  private let result = Mutex<[String]>([])
  /// Signalled at each change of the targets.
  private let news = DispatchSemaphore(value: 0)

  init(for endpoints: [String], verifiedBy path: String, _ output: StandardOutput) {
    self.output = output
    program = ChildProgram(at: path, endpoints)
  }

  /// The lines of the last result; none before the first one.
  var lastResult: [String] { result.withLock { $0 } }

  func noteTargets(areAsRequested isReady: Bool) {
    areTargetsReady.withLock { $0 = isReady }
    news.signal()
  }

  /// Verifies until all endpoints answer while the targets are as requested, and ends the run then.
  func run(until end: EndOfRun) {
    while !end.isReached {
      guard areTargetsReady.withLock({ $0 }) else {
        news.wait()
        continue
      }
      guard let (status, text) = program.run() else {
        if !end.isReached {
          output.report(
            UsageError(
              "\(SeparateCommand.program(of: "verify")) did not run to its end", hint: "run it by itself"))
        }
        return end.reach(ExitStatus.trouble)
      }
      result.withLock { $0 = text.split(separator: "\n").map(String.init) }
      if status == ExitStatus.trouble { return end.reach(status) }
      if status == ExitStatus.success, areTargetsReady.withLock({ $0 }) { return end.reach(status) }
      var hasChanged = false
      while news.wait(timeout: .now()) == .success { hasChanged = true }
      if !hasChanged { _ = news.wait(timeout: .now() + .seconds(1)) }
    }
  }

  /// Ends a verification that is in progress.
  func stop() { program.stop() }
}
