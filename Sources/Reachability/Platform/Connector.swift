#if os(Linux)
import Netlink
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Connects to the first of some addresses that answers, on a thread of its own.
///
/// The thread waits for all of the attempts together, and for somebody who no longer wants to know.
final class Connector: Sendable {
  private let targets: [Target]
  private let addresses: [IPAddress]
  private let plan: ConnectionPlan
  private let alarm: Alarm
  private let isCancelled = Atomic(false)

  init(_ plan: ConnectionPlan) throws(NetworkMonitorError) {
    self.plan = plan
    (targets, addresses) = (plan.targets.map(\.target), plan.targets.map(\.address))
    do throws(Errno) {
      alarm = try Alarm()
    } catch {
      throw NetworkMonitorError(
        .systemUnavailable, errorNumber: error.rawValue,
        description: "could not prepare to connect: \(error)")
    }
  }

  /// Ends the attempts, or keeps them from being begun; from any thread.
  func cancel() {
    isCancelled.store(true, ordering: .sequentiallyConsistent)
    alarm.ring()
  }

  /// Tries the addresses until one is connected to, all have failed or the time is over; blocks as long.
  ///
  /// All sockets are closed when it returns.
  ///
  /// - Returns: What came of each, and how long it all took; `nil` if it was cancelled.
  func run() -> (attempts: [ConnectionReport.Attempt], duration: Duration)? {
    let clock = SuspendingClock()
    let begin = clock.now
    var now: Duration { begin.duration(to: clock.now) }
    var eyeballs = HappyEyeballs(count: targets.count, delay: plan.attemptDelay, timeout: plan.timeout)
    var sockets: [Int: TCPSocket] = [:]
    while eyeballs.end == nil {
      while let place = eyeballs.advance(to: now) {
        do throws(Errno) {
          sockets[place] = try TCPSocket(
            connectingTo: targets[place], addresses[place], port: plan.port)
        } catch {
          eyeballs.take(.init(error), of: place, at: now)
        }
      }
      guard let deadline = eyeballs.nextDeadline else { break }
      for place in wait(for: sockets, deadline - now) {
        guard let socket = sockets.removeValue(forKey: place) else { continue }
        eyeballs.take(socket.failure.map { .init($0) } ?? .connected, of: place, at: now)
      }
      if isCancelled.load(ordering: .sequentiallyConsistent) { return nil }
    }
    let attempts = eyeballs.attempts.enumerated().map { place, attempt in
      ConnectionReport.Attempt(
        addresses[place], interface: targets[place].interface, start: attempt.start,
        duration: attempt.duration,
        outcome: attempt.outcome ?? .notTried)
    }
    return (attempts, eyeballs.end ?? .zero)
  }

  /// Blocks until the outcome of a connection is there, ``cancel()`` is called or some time has passed.
  ///
  /// - Returns: The places of the connections whose outcome is there, in their order.
  private func wait(for sockets: [Int: TCPSocket], _ time: Duration) -> [Int] {
    let places = sockets.keys.sorted()
    var descriptors = [pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)]
    for place in places {
      descriptors.append(pollfd(fd: sockets[place]?.pollDescriptor ?? -1, events: Int16(POLLOUT), revents: 0))
    }
    // Rounded up, so that the time is over when it returns.
    let milliseconds = time > .zero ? Int64(time / .milliseconds(1)) + 1 : 0
    let count = unsafe poll(&descriptors, nfds_t(descriptors.count), CInt(clamping: milliseconds))
    guard count > 0 else { return [] }
    // Somebody closed what is not theirs; else it would end every wait at once.
    if descriptors[0].revents & Int16(POLLNVAL) != 0 { Alarm.pause() }
    return places.indices.filter { descriptors[$0 + 1].revents != 0 }.map { places[$0] }
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

extension LinuxNetworkSource {
  func connect(
    _ plan: ConnectionPlan
  ) async throws -> (attempts: [ConnectionReport.Attempt], duration: Duration) {
    let connector = try Connector(plan)
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        threads("connect") {
          continuation.resume(with: Result { try connector.run() ?? { throw CancellationError() }() })
        }
      }
    } onCancel: {
      connector.cancel()
    }
  }
}
#endif
