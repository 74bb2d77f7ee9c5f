// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Dispatch
import InternetProtocol

/// The verification of one endpoint by the separate program, which is started again if it ends.
///
/// Each endpoint has a program of its own, so that none waits for the time limit of another, and so that one failure
/// does not end the attempts for the others.
final class VerificationWatch: Sendable {
  /// The time before another start: the first one, and the longest one after failures in a row.
  private static let delays = (first: Duration.seconds(1), longest: Duration.seconds(64))

  private let endpoint: String
  private let program: ChildProgram
  private let output: StandardOutput
  /// Signalled when no other run may start.
  private let isStopped = DispatchSemaphore(value: 0)

  /// Prepares the program.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint as it was given.
  ///   - interval: The time from one verification to the next, as the program accepts it.
  init(of endpoint: String, every interval: String, by path: String, reportingTo output: StandardOutput) {
    self.endpoint = endpoint.withoutSecrets
    self.output = output
    program = ChildProgram(at: path, ["--watch", "--json", "--every", interval, "--", endpoint])
  }

  /// Runs the program until ``stop()``; returns earlier only if its first run ends without a result.
  ///
  /// - Parameter hasEnded: Whether an end of the program was requested, which is then no error.
  /// - Returns: Whether there was a result.
  func run(unless hasEnded: () -> Bool, _ receive: (RecordedVerification) -> Void) -> Bool {
    var (hasResult, delay) = (false, Self.delays.first)
    var reported: Set<String> = []
    func report(_ problem: String) {
      guard reported.insert(problem).inserted else { return }
      output.report(problem: "the verification of \(endpoint) \(problem)")
    }
    while true {
      var lines = OutputLines()
      let start = ContinuousClock.now
      let status = program.run { part in
        for line in lines.add(part) {
          if let value = line.flatMap(RecordedVerification.init(line:)) {
            receive(value)
            hasResult = true
          } else {
            report("printed a line that is not its result, which is left out")
          }
        }
      }
      guard hasResult else {
        // In trouble, the program has reported an error. A signal to the process group ends it like this one.
        if !hasEnded(), status != ExitStatus.trouble { report("did not run to a result") }
        return false
      }
      if isStopped.wait(timeout: .now()) == .success { return true }
      receive(.unknown)
      if start.duration(to: .now) > Self.delays.longest { (reported, delay) = ([], Self.delays.first) }
      if isStopped.wait(timeout: .now() + delay.interval) == .success { return true }
      report("has ended, and is started again")
      delay = min(delay * 2, Self.delays.longest)
    }
  }

  /// Ends the program, and prevents further runs.
  func stop() {
    isStopped.signal()
    program.stop()
  }
}
