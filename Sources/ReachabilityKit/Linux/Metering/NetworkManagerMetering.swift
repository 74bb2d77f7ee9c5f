#if os(Linux)
import CPOSIX
import Netlink
import POSIX
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What NetworkManager knows of whether interfaces are metered, asked and heard on a thread of its own.
///
/// Nobody waits for the bus: who asks gets what is known, and ``onChange`` is called when more is. The thread starts
/// with the first question and sleeps while nothing is asked or announced. Without a bus a question costs one failed
/// connect.
final class NetworkManagerMetering: Sendable {
  private let desk: MeteringDesk

  /// Prepares to ask about the interfaces of the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - addresses: Where the bus may listen.
  ///   - limit: How long a question may take in all.
  ///   - onChange: Is called on the thread when an answer is another one than before.
  init(
    _ addresses: [DBusAddress] = NetworkManagerClient.systemBus, limit: Duration = .milliseconds(100),
    onChange: @escaping @Sendable () -> Void
  ) throws(Errno) {
    desk = try MeteringDesk(addresses, limit, onChange)
  }

  deinit {
    desk.stop()
  }

  /// Whether an interface is metered, as far as it is known by now; returns at once.
  func isMetered(interfaceIndex: Int) -> Bool? {
    desk.isMetered(interfaceIndex)
  }

  /// Asks on the calling thread whether interfaces are metered, and waits for all the answers within the limit.
  ///
  /// A bus that did not answer in time is left to the thread from then on: until it answers, nobody waits for it again.
  func findOut(interfaceIndexes: Set<Int>) -> [Int: Bool] {
    desk.findOut(interfaceIndexes)
  }

  /// Has every interface asked about anew, when it is next asked for; until then the old answers are given.
  func networkDidChange() {
    desk.networkDidChange()
  }
}

/// Where questions are left and answers are picked up.
///
/// The thread holds this and not its owner, so nothing retains itself.
private final class MeteringDesk: Sendable {
  private struct State {
    var answers: [Int: Bool] = [:]
    /// The interfaces that were asked for since the network changed last.
    var current: Set<Int> = []
    /// Those of them that the thread is still to ask about.
    var open: Set<Int> = []
    var isThreadRunning = false
    var isStopped = false
    /// When to ask a bus again that did not answer in time, and how often it did not.
    var silence: (until: SuspendingClock.Instant, count: Int)?

    /// Notes whether the bus let a question wait in vain.
    mutating func note(isSilent: Bool) {
      let count = isSilent ? min((silence?.count ?? 0) + 1, 6) : 0
      silence = isSilent ? (SuspendingClock().now.advanced(by: .seconds(1 << count)), count) : nil
    }
  }

  private let addresses: [DBusAddress]
  private let limit: Duration
  private let onChange: @Sendable () -> Void
  private let probe: NamespaceProbe
  private let alarm: Alarm
  private let state = Mutex(State())

  init(
    _ addresses: [DBusAddress], _ limit: Duration, _ onChange: @escaping @Sendable () -> Void
  ) throws(Errno) {
    self.addresses = addresses
    self.limit = limit
    self.onChange = onChange
    probe = try NamespaceProbe()
    alarm = try Alarm()
  }

  func isMetered(_ index: Int) -> Bool? {
    let (answer, startsThread, isNew) = state.withLock { state in
      let isNew = state.current.insert(index).inserted
      if isNew { state.open.insert(index) }
      let startsThread = isNew && !state.isThreadRunning
      if startsThread { state.isThreadRunning = true }
      return (state.answers[index], startsThread, isNew)
    }
    if startsThread {
      do throws(ReachabilityMonitorError) {
        try startThread(named: "metering") { self.run() }
      } catch {
        // The next question tries again.
        state.withLock { state in
          (state.isThreadRunning, state.current, state.open) = (false, [], [])
        }
      }
    } else if isNew {
      alarm.ring()
    }
    return answer
  }

  func findOut(_ indexes: Set<Int>) -> [Int: Bool] {
    let isSilent = state.withLock { state in
      guard let silence = state.silence else { return false }
      // The thread asks again.
      if silence.until <= SuspendingClock().now { state.current.subtract(indexes) }
      return true
    }
    var answers: [Int: Bool] = [:]
    if isSilent {
      for index in indexes { answers[index] = isMetered(index) }
      return answers
    }
    var client: NetworkManagerClient?
    do throws(DBusError) {
      answers = try ask(about: indexes, &client)
      // Whoever asks for the first time gets no older answer from memory. The thread's own are newer.
      state.withLock { state in
        if !state.isThreadRunning { state.answers.merge(answers) { $1 } }
      }
    } catch {
      if error.code == .timedOut { state.withLock { $0.note(isSilent: true) } }
    }
    return answers
  }

  func networkDidChange() {
    state.withLock { state in
      // What nobody asked for since the last change is forgotten.
      state.answers = state.answers.filter { state.current.contains($0.key) }
      state.current = []
      state.open = []
    }
  }

  func stop() {
    state.withLock { $0.isStopped = true }
    alarm.ring()
  }
}

// MARK: - The thread

extension MeteringDesk {
  private func run() {
    var client: NetworkManagerClient?
    while true {
      let (open, isStopped) = state.withLock { state in
        defer { state.open = [] }
        return (state.open, state.isStopped)
      }
      if isStopped { return }
      guard open.isEmpty else {
        answer(open, &client)
        continue
      }
      do throws(DBusError) {
        // Some may have come together with the answers, and nothing tells of it any more.
        if try client?.takeNews() != true {
          guard wait(for: client?.pollDescriptor) else { continue }
          client?.deadline = SuspendingClock().now.advanced(by: limit)
          try client?.listen()
          continue
        }
      } catch {
        // Whoever hung up told us nothing of what has changed since.
        client = nil
      }
      state.withLock { $0.open = $0.current }
    }
  }

  /// Asks about interfaces, and tells if an answer is a new one.
  private func answer(_ indexes: Set<Int>, _ client: inout NetworkManagerClient?) {
    var answers: [Int: Bool] = [:]
    var isSilent = false
    do throws(DBusError) {
      answers = try ask(about: indexes, &client)
    } catch {
      // Nobody knows how much of the conversation is still to come; the next question connects anew.
      client = nil
      isSilent = error.code == .timedOut
    }
    let isChanged = state.withLock { [isSilent] state in
      state.note(isSilent: isSilent)
      var isChanged = false
      for index in indexes {
        isChanged = isChanged || state.answers[index] != answers[index]
        state.answers[index] = answers[index]
      }
      return isChanged
    }
    if isChanged { onChange() }
  }

  /// Asks within the limit, which is for all of the questions.
  private func ask(
    about indexes: Set<Int>, _ client: inout NetworkManagerClient?
  ) throws(DBusError) -> [Int: Bool] {
    let deadline = SuspendingClock().now.advanced(by: limit)
    if client == nil {
      client = try NetworkManagerClient(addresses, probe, until: deadline)
      try client?.introduce()
    }
    client?.deadline = deadline
    var answers: [Int: Bool] = [:]
    for index in indexes { answers[index] = try client?.isMetered(interfaceIndex: index) }
    return answers
  }

  /// Blocks until there is something to do; returns whether the bus has something to tell.
  private func wait(for bus: CInt?) -> Bool {
    // Descriptors below zero are left out.
    var descriptors = [bus ?? -1, alarm.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { return false }
    if descriptors[1].revents != 0, !alarm.silence() { Alarm.pause() }
    return descriptors[0].revents != 0
  }
}
#endif
