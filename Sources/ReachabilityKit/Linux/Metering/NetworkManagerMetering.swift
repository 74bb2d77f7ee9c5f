// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX
import Synchronization

/// NetworkManager's information about metered interfaces, queried on a dedicated thread.
///
/// Observers never wait for the bus: they get the known answer, and ``onChange`` is called when it changes. The thread
/// starts with the first query and sleeps while nothing is queried or announced. Without a bus, a query costs one failed
/// connect.
final class NetworkManagerMetering: Sendable {
  private let cache: MeteringCache

  /// Prepares queries about the interfaces of the calling thread's network namespace.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the bus, in order of preference.
  ///   - onChange: Called on the thread when an answer changes.
  init(
    _ addresses: [DBusAddress] = NetworkManagerClient.systemBus, limit: Duration = .milliseconds(100),
    onChange: @escaping @Sendable () -> Void
  ) throws(Errno) {
    cache = try MeteringCache(addresses, limit: limit, onChange)
  }

  deinit {
    cache.stop()
  }

  /// Returns whether interfaces are metered, from memory, without those that are unknown now.
  ///
  /// ``queryRequested()`` queries the unknown ones.
  func knownAnswers(interfaceIndexes: Set<Int>) -> [Int: Bool] {
    cache.knownAnswers(interfaceIndexes)
  }

  /// Has the thread query the interfaces that were requested from memory.
  ///
  /// Apart, so that a path is delivered before the thread starts or wakes up.
  func queryRequested() {
    cache.queryRequested()
  }

  /// Queries on the calling thread whether interfaces are metered, and waits for the answers within the limit.
  ///
  /// After a timeout only the thread queries the bus, and no caller waits, until the bus answers again.
  func findOut(interfaceIndexes: Set<Int>) -> [Int: Bool] {
    cache.findOut(interfaceIndexes)
  }

  /// Marks all answers as outdated: each is queried again when it is next requested, and kept until then.
  func networkDidChange() {
    cache.networkDidChange()
  }
}

/// The queue of queries and the memory of answers.
///
/// The thread retains this object instead of its owner, which avoids a cycle.
private final class MeteringCache: Sendable {
  private struct State {
    var answers: [Int: Bool] = [:]
    /// The interfaces that were requested since the last change of the network.
    var current: Set<Int> = []
    /// Those of them that the thread has not queried yet.
    var open: Set<Int> = []
    var isThreadRunning = false
    var isStopped = false
    /// The time of the next query to a bus that timed out, and the number of timeouts.
    var silence: (until: Moment, count: Int)?

    /// Records whether a query timed out.
    mutating func note(isSilent: Bool) {
      let count = isSilent ? min((silence?.count ?? 0) + 1, 6) : 0
      silence = isSilent ? (Moment.now.advanced(by: .seconds(1 << count)), count) : nil
    }
  }

  private let addresses: [DBusAddress]
  private let limit: Duration
  private let onChange: @Sendable () -> Void
  private let probe: NamespaceProbe
  private let alarm: Alarm
  private let state = Mutex(State())

  init(
    _ addresses: [DBusAddress], limit: Duration, _ onChange: @escaping @Sendable () -> Void
  ) throws(Errno) {
    self.addresses = addresses
    self.limit = limit
    self.onChange = onChange
    probe = try NamespaceProbe()
    alarm = try Alarm()
  }

  func knownAnswers(_ indexes: Set<Int>) -> [Int: Bool] {
    state.withLock { state in
      let new = indexes.subtracting(state.current)
      state.current.formUnion(new)
      state.open.formUnion(new)
      return state.answers.filter { indexes.contains($0.key) }
    }
  }

  func queryRequested() {
    let (isOpen, startsThread) = state.withLock { state in
      let startsThread = !state.open.isEmpty && !state.isThreadRunning
      if startsThread { state.isThreadRunning = true }
      return (!state.open.isEmpty, startsThread)
    }
    if startsThread {
      do throws(ReachabilityMonitorError) {
        try startThread(named: "metering") { self.run() }
      } catch {
        // The next query tries again.
        state.withLock { state in
          (state.isThreadRunning, state.current, state.open) = (false, [], [])
        }
      }
    } else if isOpen {
      alarm.ring()
    }
  }

  func findOut(_ indexes: Set<Int>) -> [Int: Bool] {
    let isSilent = state.withLock { state in
      guard let silence = state.silence else { return false }
      // The thread queries again.
      if silence.until <= Moment.now { state.current.subtract(indexes) }
      return true
    }
    if isSilent {
      defer { queryRequested() }
      return knownAnswers(indexes)
    }
    var answers: [Int: Bool] = [:]
    var client: NetworkManagerClient?
    do throws(DBusError) {
      answers = try ask(about: indexes, &client)
      // A first caller gets no older answer from memory. Those of the thread are newer.
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
      // Answers that were not requested since the last change are dropped.
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

extension MeteringCache {
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
        // Announcements may have come together with answers, and poll does not report these again.
        if try client?.connection.readSignals() != true {
          guard wait(for: client?.connection.pollDescriptor) else { continue }
          client?.connection.deadline = Moment.now.advanced(by: limit)
          try client?.connection.receive()
          continue
        }
      } catch {
        // Changes since the disconnection are unknown.
        client = nil
      }
      state.withLock { $0.open = $0.current }
    }
  }

  /// Queries interfaces, and announces a changed answer.
  private func answer(_ indexes: Set<Int>, _ client: inout NetworkManagerClient?) {
    var answers: [Int: Bool] = [:]
    var isSilent = false
    do throws(DBusError) {
      answers = try ask(about: indexes, &client)
    } catch {
      // The rest of the conversation is undefined; the next query reconnects.
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

  /// Queries all interfaces within one time limit.
  private func ask(
    about indexes: Set<Int>, _ client: inout NetworkManagerClient?
  ) throws(DBusError) -> [Int: Bool] {
    let deadline = Moment.now.advanced(by: limit)
    if client == nil {
      client = try NetworkManagerClient(addresses, probe, until: deadline)
      try client?.introduce()
    }
    client?.connection.deadline = deadline
    var answers: [Int: Bool] = [:]
    for index in indexes { answers[index] = try client?.isMetered(interfaceIndex: index) }
    return answers
  }

  /// Blocks until a query or an announcement; returns whether the bus has input.
  private func wait(for bus: CInt?) -> Bool {
    // poll ignores negative descriptors.
    var descriptors = [bus ?? -1, alarm.descriptor].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&descriptors, nfds_t(descriptors.count), -1) > 0 else { return false }
    if descriptors[1].revents != 0, !alarm.silence() { Alarm.pause() }
    return descriptors[0].revents != 0
  }
}

extension PathEvaluation {
  /// Adds whether the interfaces of the path are metered, as far as their kind does not say so.
  mutating func addMetering(_ answers: (_ interfaceIndexes: Set<Int>) -> [Int: Bool]) {
    let open = path.interfaces.indices.filter { path.interfaces[$0].isExpensive == nil }
    guard !open.isEmpty else { return }
    let known = answers(Set(open.map { path.interfaces[$0].interface.index }))
    for place in open { path.interfaces[place].isExpensive = known[path.interfaces[place].interface.index] }
    path.isExpensive = path.interfaces.first?.isExpensive
  }
}

/// A signal to the engine's thread that metering information changed.
final class MeteringChanges: Sendable {
  private let isWaiting = Mutex(false)
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) {
    self.wake = wake
  }

  func announce() {
    isWaiting.withLock { $0 = true }
    wake()
  }

  /// Returns whether a change was announced since the last call.
  func take() -> Bool {
    isWaiting.withLock { isWaiting in
      defer { isWaiting = false }
      return isWaiting
    }
  }
}
#endif
