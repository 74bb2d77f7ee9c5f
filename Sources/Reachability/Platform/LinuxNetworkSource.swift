#if os(Linux)
import Netlink
import Synchronization

/// The Linux kernel, asked and heard over rtnetlink.
///
/// Links and addresses are kept up to date from the kernel's messages; routes are never copied, but asked for.
final class LinuxNetworkSource: NetworkSource {
  /// The tables, and callers' questions.
  private let tracker: Mutex<NetworkTracker>
  /// For the questions of the engine's thread, so that callers never wait for these.
  private let client: Mutex<RouteClient>
  private let waiter: ChangeWaiter
  private let eventDescriptor: CInt

  /// Opens the sockets in the calling thread's network namespace.
  init() throws(NetworkMonitorError) {
    do throws(NetlinkError) {
      let events = try Self.open(receiveBuffer: 1 << 20)
      eventDescriptor = events.pollDescriptor
      tracker = Mutex(try NetworkTracker(events: events, questions: try Self.open()))
      client = Mutex(RouteClient(over: try Self.open()))
      waiter = try ChangeWaiter()
    } catch {
      throw NetworkMonitorError(error)
    }
  }

  private static func open(receiveBuffer: CInt? = nil) throws(NetlinkError) -> KernelTransport {
    do throws(Errno) {
      return try KernelTransport(receiveBuffer: receiveBuffer)
    } catch {
      throw NetlinkError(.system, attempt: "open a netlink socket", errno: error)
    }
  }

  func startWatching() throws(NetworkMonitorError) {
    try setWatching(true)
  }

  func stopWatching() {
    // A socket that can't leave its groups only brings wake-ups for nothing.
    try? setWatching(false)
  }

  private func setWatching(_ isWatching: Bool) throws(NetworkMonitorError) {
    let result = tracker.withLock { tracker -> Result<Void, NetlinkError> in
      do throws(NetlinkError) {
        return .success(try tracker.setWatching(isWatching))
      } catch {
        return .failure(error)
      }
    }
    if case .failure(let error) = result { throw NetworkMonitorError(error) }
  }

  func wake() {
    waiter.wake()
  }

  func waitForChange(until deadline: SuspendingClock.Instant?) -> NetworkChange {
    let reason = waiter.wait(for: eventDescriptor, until: deadline)
    // After a sleep the world may be another one.
    if reason == .clockJumped { tracker.withLock { $0.refresh() } }
    var change = tracker.withLock { $0.takeChange() }
    guard !change.isEmpty else { return change }
    // The kernel announces some changes before it makes them, and some in several messages. When it lets go of
    // the lock that all of them hold, what was announced is done and its messages have arrived.
    waiter.waitForKernel()
    change.formUnion(tracker.withLock { $0.takeChange() })
    return change
  }
}

// MARK: - Questions

extension LinuxNetworkSource {
  /// When to ask again about a target whose question failed.
  private static var retryInterval: Duration { .seconds(1) }

  func evaluate(_ target: Target) -> Evaluation {
    let (evaluation, hasNews) = tracker.withLock { ($0.evaluate(target), $0.hasNews) }
    // What was heard here, the engine's thread would otherwise not see.
    if hasNews { waiter.wake() }
    return evaluation
  }

  func evaluate(watched targets: [Target]) -> [Evaluation] {
    let evaluator = Evaluator(network: tracker.withLock { $0.networkState }, isWatching: true)
    var evaluations = [Evaluation?](repeating: nil, count: targets.count)
    var answers = [RouteAnswers](repeating: RouteAnswers(), count: targets.count)
    var pending = Array(targets.indices)
    for _ in 0..<NetworkTracker.roundLimit where !pending.isEmpty {
      var questions: [RouteQuestion] = []
      var askers: [Int] = []
      for index in pending {
        switch evaluator.evaluate(targets[index], answers[index]) {
        case .known(let evaluation): evaluations[index] = evaluation
        case .ask(let more):
          questions += more
          askers += repeatElement(index, count: more.count)
        case .unknownLink:
          // Rare enough to go the slow way, and once more soon, since that way does not tell a lifetime.
          evaluations[index] = Evaluation(evaluate(targets[index]).status, lifetime: Self.retryInterval)
        }
      }
      guard let replies = client.withLock({ $0.answers(to: questions) }) else { break }
      for (position, index) in askers.enumerated() { answers[index][questions[position]] = replies[position] }
      pending = askers.enumerated().compactMap { position, index in
        position > 0 && askers[position - 1] == index ? nil : index
      }
    }
    return evaluations.map { $0 ?? Evaluation(.unknown(.systemError), lifetime: Self.retryInterval) }
  }
}

extension RouteClient {
  /// Returns the kernel's answers, or `nil` if it can't be asked.
  fileprivate mutating func answers(to questions: [RouteQuestion]) -> [RouteAnswer]? {
    var answers = [RouteAnswer](repeating: .refused(.trouble), count: questions.count)
    do throws(NetlinkError) {
      try lookUp(questions.map(RouteRequest.init)) { index, result in answers[index] = RouteAnswer(result) }
      return answers
    } catch {
      return nil
    }
  }
}

extension NetworkMonitorError {
  init(_ error: NetlinkError) {
    self.init(
      .systemUnavailable, errorNumber: error.errno?.rawValue,
      description: "the kernel's network tables can't be read: \(error)")
  }
}
#endif
