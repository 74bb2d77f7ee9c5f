#if os(Linux)
import CLibrary
import Netlink
import POSIX

extension ConnectionPlan {
  /// Connects to the addresses until one succeeds, all have failed, the time is over or an interruption; blocks until then.
  ///
  /// All sockets are closed when it returns.
  ///
  /// - Parameter interfaces: The indexes of the targets' interfaces.
  /// - Returns: The outcome of each attempt, and the total duration.
  func run(
    _ interruption: Interruption, _ interfaces: [UInt32?]
  ) -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration) {
    let clock = SuspendingClock()
    let begin = clock.now
    var now: Duration { begin.duration(to: clock.now) }
    var eyeballs = HappyEyeballs(count: targets.count, delay: attemptDelay, timeout: timeout)
    var sockets: [Int: ProbeSocket] = [:]
    var reporters: [Int: IPAddress] = [:]
    while !interruption.isInterrupted {
      while let place = eyeballs.advance(to: now) {
        do throws(Errno) {
          sockets[place] = try ProbeSocket(
            .stream, to: targets[place].target, targets[place].address, port: port,
            interface: interfaces[place])
        } catch {
          eyeballs.take(.init(error), of: place, at: now)
        }
      }
      guard let deadline = eyeballs.nextDeadline else { break }
      for place in interruption.wait(for: sockets, forInput: false, deadline - now) {
        guard let socket = sockets.removeValue(forKey: place) else { continue }
        if let failure = socket.failure {
          reporters[place] = socket.reporter
          eyeballs.take(.init(failure), of: place, at: now)
        } else {
          eyeballs.take(.connected, of: place, at: now)
        }
      }
    }
    let attempts = eyeballs.attempts.enumerated().map { place, attempt in
      ReachabilityConnectionReport.Attempt(
        targets[place].address, interface: targets[place].target.interface, start: attempt.start,
        duration: attempt.duration, outcome: attempt.outcome ?? .notTried, reporter: reporters[place])
    }
    return (attempts, eyeballs.end ?? .zero)
  }
}

extension ReachabilityConnectionReport.Attempt.Outcome {
  fileprivate init(_ error: Errno) {
    switch error.rawValue {
    case ECONNREFUSED: self = .refused
    case ETIMEDOUT: self = .timedOut
    default: self = .failed(errorNumber: error.rawValue)
    }
  }
}
#endif
