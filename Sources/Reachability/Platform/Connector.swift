#if os(Linux)
import Netlink

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LinuxNetworkSource {
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ConnectionReport.Attempt], duration: Duration) {
    try await Interruption.run(on: threads, named: "connect") { plan.run($0) }
  }
}

extension ConnectionPlan {
  /// Tries the addresses until one is connected to, all have failed, the time is over or somebody interrupts; blocks as long.
  ///
  /// All sockets are closed when it returns.
  ///
  /// - Returns: What came of each, and how long it all took.
  fileprivate func run(
    _ interruption: Interruption
  ) -> (attempts: [ConnectionReport.Attempt], duration: Duration) {
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
            .stream, to: targets[place].target, targets[place].address, port: port)
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
      ConnectionReport.Attempt(
        targets[place].address, interface: targets[place].target.interface, start: attempt.start,
        duration: attempt.duration, outcome: attempt.outcome ?? .notTried, reporter: reporters[place])
    }
    return (attempts, eyeballs.end ?? .zero)
  }
}

extension ConnectionReport.Attempt.Outcome {
  fileprivate init(_ error: Errno) {
    switch error.rawValue {
    case ECONNREFUSED: self = .refused
    case ETIMEDOUT: self = .timedOut
    default: self = .failed(errorNumber: error.rawValue)
    }
  }
}
#endif
