#if os(Linux)
import Netlink
import Synchronization

/// The Linux kernel, asked and heard over rtnetlink.
///
/// Links and addresses are kept up to date from the kernel's messages; routes are never copied, but asked for.
final class LinuxNetworkSource: NetworkSource {
  private let tracker: Mutex<NetworkTracker<KernelTransport>>
  /// For callers' questions, so that they never wait for the thread's.
  private let client: Mutex<RouteClient<KernelTransport>>
  /// For the questions of the engine's thread.
  private let watchingClient: Mutex<RouteClient<KernelTransport>>
  private let waiter: ChangeWaiter
  private let eventDescriptor: CInt

  /// Opens the sockets in the calling thread's network namespace.
  init() throws(NetworkMonitorError) {
    do throws(NetlinkError) {
      let events = try Self.open(receiveBuffer: 1 << 20)
      eventDescriptor = events.pollDescriptor
      tracker = Mutex(try NetworkTracker(events: events, questions: try Self.open()))
      client = Mutex(RouteClient(over: try Self.open()))
      watchingClient = Mutex(RouteClient(over: try Self.open()))
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
    // After a sleep the world may be another one, and messages may have been lost with the power.
    if reason == .clockJumped { return .all }
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
  /// How many rounds of questions a target may need; the default route needs the most.
  private static let roundLimit = 8

  func evaluate(_ targets: [Target], watching: Bool) -> [Evaluation] {
    var (state, mustWake) = tracker.withLock { $0.currentState() }
    // What was heard here the thread would otherwise not see.
    if mustWake, !watching { waiter.wake() }

    var evaluations = [Evaluation](repeating: Evaluation(.unknown(.systemError)), count: targets.count)
    var answers = [RouteAnswers](repeating: RouteAnswers(), count: targets.count)
    var pending = Array(targets.indices)
    var didRefreshLinks = false
    for _ in 0..<Self.roundLimit {
      let evaluator = Evaluator(network: state, isWatching: watching)
      var questions: [RouteQuestion] = []
      var askers: [Int] = []
      var missing: [Int] = []
      for index in pending {
        switch evaluator.evaluate(targets[index], answers[index]) {
        case .known(let evaluation): evaluations[index] = evaluation
        case .unknownLink: missing.append(index)
        case .ask(let more):
          questions += more
          askers += repeatElement(index, count: more.count)
        }
      }
      if !missing.isEmpty {
        // The kernel is ahead of its messages; once they are read the link is there, or the route is gone.
        for index in missing {
          answers[index] = RouteAnswers()
          evaluations[index] = Evaluation(
            .notReachable(.noRoute), lifetime: didRefreshLinks ? .seconds(1) : nil)
        }
        state = tracker.withLock { $0.currentState(readingAgain: true) }.state
        didRefreshLinks = true
      }
      pending = missing
      guard !questions.isEmpty || !missing.isEmpty else { break }
      guard !questions.isEmpty else { continue }
      guard let replies = ask(questions, watching: watching) else {
        for index in askers {
          evaluations[index] = Evaluation(.unknown(.systemError), lifetime: .seconds(1))
        }
        continue
      }
      for (position, index) in askers.enumerated() {
        answers[index][questions[position]] = replies[position]
        if pending.last != index { pending.append(index) }
      }
    }
    return evaluations
  }

  /// Returns the kernel's answers, or `nil` if it can't be asked.
  private func ask(_ questions: [RouteQuestion], watching: Bool) -> [RouteAnswer]? {
    let messages = questions.map(RouteMessage.init(asking:))
    return watching ? Self.ask(messages, watchingClient) : Self.ask(messages, client)
  }

  private static func ask(
    _ messages: [RouteMessage], _ client: borrowing Mutex<RouteClient<KernelTransport>>
  ) -> [RouteAnswer]? {
    client.withLock { client -> [RouteAnswer]? in
      do throws(NetlinkError) {
        return try client.routes(matching: messages).map(RouteAnswer.init)
      } catch {
        return nil
      }
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
