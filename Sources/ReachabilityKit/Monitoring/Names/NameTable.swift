// SPDX-License-Identifier: Apache-2.0
import POSIX

/// Decides which names are looked up when, a few concurrently.
///
/// Pure: time goes in as a value. Equal names share one lookup. An observed name is looked up again at an interval, sooner
/// after a failure, and when the network or the resolver's settings changed.
struct NameTable: Sendable {
  typealias Name = ReachabilityTarget.HostName

  private struct NameEntry: Sendable {
    enum Phase: Equatable, Sendable {
      /// No lookup is wanted before the moment.
      case resting(until: Moment?)
      case queued
      /// A lookup runs. If something has changed since it began, its answer may be an old one.
      case running(since: Moment, isOutdated: Bool)
    }

    var phase = Phase.resting(until: nil)
    var watchers = 0
    var answer: NameAnswer?
    var answered: Moment?
    var lookUpDuration: Duration?
    /// The number of failures in a row.
    var failures = 0
    /// Whether the network or the settings changed since the lookup that runs began, so that its failure says nothing.
    var isDisturbed = false
    /// Whether the name servers were examined since then, or do not matter.
    var isExamined = false
    /// The thread of the lookup that runs, once it has begun, which it does late on a busy machine.
    var thread: ThreadProgress?
    /// The moment from which on the lookup that runs may wait for a name server.
    var clockStart: Moment?
    /// Whether no name server was reachable for the last lookup.
    var lacksServer = false
    /// Whether the answer was found with other settings.
    var isOfOldSettings = false

    var waitsForServer: Bool { lacksServer && watchers > 0 }
    var isResting: Bool { if case .resting = phase { true } else { false } }
    var due: Moment? { if case .resting(let moment) = phase { moment } else { nil } }
    /// The beginning of the lookup that runs.
    var started: Moment? { if case .running(let since, _) = phase { since } else { nil } }
    /// The moment from which on a first lookup takes long.
    var examination: Moment? {
      guard answer == nil, !isExamined, started != nil else { return nil }
      return clockStart?.advanced(by: NameTable.promptness)
    }

    /// Whether a failure leaves the known answer valid: the network explains it.
    func excuses(_ answer: NameAnswer) -> Bool {
      guard case .failure(let reason) = answer else { return false }
      switch reason {
      case .nameServerUnreachable:
        if case .addresses? = self.answer, !isOfOldSettings { return true }
        return isDisturbed
      case .nameResolutionTimedOut, .nameServerFailed: return isDisturbed
      default: return false
      }
    }
  }

  private var entries: [Name: NameEntry] = [:]
  /// The number of entries from which on old ones are searched for.
  private var manyEntries = 64
  private var deadlines = DeadlineQueue<Name>()
  /// The queued names by zone; some of them may no longer be wanted.
  private var queues: [String: [Name]] = [:]
  /// The zones with a queue; the next lookup is in the first one whose limit allows another.
  private var zones: [String] = []
  private var running: Set<Name> = []
  /// The number of each name's abandoned lookups that still run.
  private var abandoned: [Name: Int] = [:]
  /// The zones whose servers did not answer the last lookup.
  private var slowZones: Set<String> = []
  /// The first change since the network was last settled, and the moment from which on it counts as settled.
  private var settling: (since: Moment, until: Moment)?

  /// The delay after failures in a row: 1 s, doubled by each further one, at most 60 s.
  static func backoff(failures: Int) -> Duration {
    .seconds(min(1 << min(max(failures - 1, 0), 6), 60))
  }

  /// The moment of the next call to ``startAll(_:)`` or ``abandonOverdue(_:)`` if nothing happens.
  var nextDeadline: Moment? {
    [deadlines.next, settling?.until, nextToAbandon, nextToExamine].compactMap(\.self).min()
  }

  /// Returns the known answer for a name, and queues a lookup if there is none, or one too old.
  mutating func answer(for name: Name, now: Moment) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    refreshIfSettled(now)
    if let entry = entries[name] {
      if entry.watchers > 0 { return entry.answer }
      if let age = entry.answered?.duration(to: now), age < Self.keepInterval {
        // The failure may be over, but is the best answer until a lookup shows that.
        if entry.failures > 0, age >= Self.backoff(failures: entry.failures) { enqueue(name) }
        return entry.answer
      }
      // An old answer is worth less than a new one in a moment.
      if entry.isResting { entries[name] = nil }
    }
    dropForgotten(now)
    enqueue(name)
    return entries[name]?.answer
  }

  /// Whether nothing is to be looked up, and nothing runs.
  var isIdle: Bool { entries.isEmpty && running.isEmpty && abandoned.isEmpty }

  /// The known answer for a name; queues no lookup.
  func knownAnswer(for name: Name) -> NameAnswer? { entries[name]?.answer }

  /// The duration of the last lookup of a name, if its answer is known.
  func lookUpDuration(of name: Name) -> Duration? { entries[name]?.lookUpDuration }

  /// Begins to keep a name up to date; returns the known answer.
  mutating func watch(_ name: Name, now: Moment) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    let known = answer(for: name, now: now)
    entries[name, default: NameEntry()].watchers += 1
    guard let entry = entries[name], entry.watchers == 1, let answered = entry.answered, entry.isResting
    else { return known }
    // Changes since then went unnoticed, so an older answer is delivered, but not relied on.
    if entry.failures > 0 {
      schedule(name, at: answered.advanced(by: Self.backoff(failures: entry.failures)))
    } else if answered.duration(to: now) >= Self.settlingTime.quiet {
      enqueue(name)
    } else {
      schedule(name, at: answered.advanced(by: Self.refreshInterval))
    }
    return known
  }

  mutating func unwatch(_ name: Name) {
    guard let watchers = entries[name]?.watchers, watchers > 0 else { return }
    entries[name]?.watchers -= 1
    guard watchers == 1 else { return }
    switch entries[name]?.phase {
    case .resting: entries[name]?.phase = .resting(until: nil)
    // A lookup that did not begin is no longer wanted.
    case .queued: entries[name] = nil
    case .running, nil: break
    }
  }

  /// Records that the network or the resolver's settings changed; names are looked up again once that has settled.
  mutating func recordChange(ofSettings: Bool, now: Moment) {
    // While there were no names, nothing ended the time after an earlier change.
    refreshIfSettled(now)
    if ofSettings { for name in entries.keys { entries[name]?.isOfOldSettings = true } }
    for name in running {
      entries[name]?.isDisturbed = true
      entries[name]?.isExamined = name.isOfMulticast
    }
    let quiet = ofSettings ? Self.settingsQuietTime : Self.settlingTime.quiet
    let since = settling?.since ?? now
    let latest = since.advanced(by: Self.settlingTime.most)
    settling = (since, min(max(settling?.until ?? now, now.advanced(by: quiet)), latest))
  }

  /// Queues a lookup of every observed name.
  mutating func refresh() {
    settling = nil
    for (name, entry) in entries {
      entries[name]?.failures = 0
      if let started = entry.started {
        entries[name]?.phase = .running(since: started, isOutdated: true)
      } else if entry.watchers > 0 {
        enqueue(name)
      }
    }
    // The answers of unobserved names are neither worth a lookup nor to be trusted.
    entries = entries.filter { $0.value.watchers > 0 || !$0.value.isResting }
  }

  /// Returns the names to look up now, as far as the limits allow; their lookups count as begun.
  mutating func startAll(_ now: Moment) -> [Name] {
    refreshIfSettled(now)
    while let name = deadlines.popDue(now) {
      guard let due = entries[name]?.due, due <= now else { continue }
      enqueue(name)
    }
    var names: [Name] = []
    while !zones.isEmpty, running.count < Self.limit,
      abandoned.values.reduce(0, +) < Self.abandonedLimit.ofAll,
      let name = dequeueStartable(now)
    {
      entries[name]?.phase = .running(since: now, isOutdated: false)
      entries[name]?.thread = nil
      entries[name]?.clockStart = now
      entries[name]?.isDisturbed = false
      entries[name]?.isExamined = name.isOfMulticast
      running.insert(name)
      names.append(name)
    }
    return names
  }

  /// Abandons the lookups that exceed the time limit, as if no name server answered.
  mutating func abandonOverdue(_ now: Moment) -> [(name: Name, answer: NameAnswer)] {
    guard !running.isEmpty, let next = nextToAbandon, next <= now else { return [] }
    let overdue = running.filter { name in
      entries[name]?.started.map { $0.duration(to: now) >= Self.timeLimit } ?? false
    }
    for name in overdue { abandoned[name, default: 0] += 1 }
    return overdue.compactMap { name in
      accept(.failure(.nameResolutionTimedOut), for: name, now: now).map { (name, $0) }
    }
  }

  // MARK: Name servers

  /// The observed names that wait for a name server to become reachable.
  var waitingForServer: [Name] { entries.filter { $0.value.waitsForServer }.map(\.key) }

  var isWaitingForServer: Bool { entries.values.contains(where: \.waitsForServer) }

  /// Whether the name servers have to be examined now, since a first lookup takes long.
  func needsExamination(_ now: @autoclosure () -> Moment) -> Bool {
    nextToExamine.map { $0 <= now() } ?? false
  }

  /// Records that a lookup has begun on its thread.
  mutating func recordBegin(of name: Name, startedAt start: Moment, now: Moment, on thread: ThreadProgress) {
    guard entries[name]?.started == start else { return }
    entries[name]?.thread = thread
    entries[name]?.clockStart = now
  }

  /// The threads of the first lookups that take long.
  func threadsToExamine(_ now: Moment) -> [Name: ThreadProgress] {
    let due = running.filter { entries[$0]?.examination.map { $0 <= now } ?? false }
    return Dictionary(
      uniqueKeysWithValues: due.compactMap { name in
        entries[name]?.thread.map { (name, $0) }
      })
  }

  /// Answers the first lookups that take long if no name server is reachable, and leaves them running.
  ///
  /// - Parameter busy: Those that need, or only wait for, a processor.
  mutating func examine(
    _ now: Moment, isServerReachable: Bool, busy: Set<Name>
  ) -> [(name: Name, answer: NameAnswer)] {
    var event: [(name: Name, answer: NameAnswer)] = []
    for name in running {
      guard let entry = entries[name], let moment = entry.examination, moment <= now else { continue }
      guard entry.thread != nil, !busy.contains(name) else {
        // It waits for no name server yet.
        entries[name]?.clockStart = now
        continue
      }
      entries[name]?.isExamined = true
      guard !isServerReachable else { continue }
      let answer = NameAnswer.failure(.nameServerUnreachable)
      entries[name]?.answer = answer
      entries[name]?.answered = now
      entries[name]?.lacksServer = true
      if entries[name]?.watchers ?? 0 > 0 { event.append((name, answer)) }
    }
    return event
  }

  /// Queues the observed names that wait for a name server, since one is reachable now.
  ///
  /// A lookup that runs has lost its packets, so another one begins beside it.
  mutating func recordReachableServer() {
    for name in waitingForServer {
      if entries[name]?.started != nil {
        guard abandoned[name, default: 0] + 1 < Self.abandonedLimit.ofName else { continue }
        running.remove(name)
        abandoned[name, default: 0] += 1
        entries[name]?.phase = .resting(until: nil)
      }
      entries[name]?.lacksServer = false
      entries[name]?.failures = 0
      enqueue(name)
    }
  }

  /// Queues the observed names whose last lookup no name server answered, since a router answers again.
  mutating func retryUnanswered() {
    for (name, entry) in entries where entry.watchers > 0 {
      if entry.started != nil {
        // It may have lost its packets.
        entries[name]?.isDisturbed = true
      } else if entry.failures > 0, entry.answer != .failure(.nameNotFound) {
        entries[name]?.failures = 0
        enqueue(name)
      }
    }
  }

  private var nextToExamine: Moment? { running.compactMap { entries[$0]?.examination }.min() }

  private var nextToAbandon: Moment? {
    running.compactMap { entries[$0]?.started }.min()?.advanced(by: Self.timeLimit)
  }

  /// Takes the answer of a lookup; returns it if the name is observed and the answer differs from the one before.
  mutating func accept(
    _ answer: NameAnswer, ofLookUpBegunAt start: Moment, for name: Name, now: Moment
  ) -> NameAnswer? {
    guard running.contains(name), entries[name]?.started == start else {
      let count = abandoned[name, default: 0]
      abandoned[name] = count > 1 ? count - 1 : nil
      // The limit kept the name out of the queue meanwhile.
      if count == Self.abandonedLimit.ofName, entries[name]?.watchers ?? 0 > 0 { enqueue(name) }
      return nil
    }
    return accept(answer, for: name, now: now)
  }

  /// Postpones a lookup that could not begin; a known answer stays valid.
  mutating func postpone(_ name: Name, now: Moment) -> NameAnswer? {
    let event = accept(entries[name]?.answer ?? .failure(.systemError), for: name, now: now)
    if let entry = entries[name], entry.watchers > 0 {
      schedule(name, at: now.advanced(by: Self.backoff(failures: 1)))
    }
    return event
  }

  private mutating func accept(_ answer: NameAnswer, for name: Name, now: Moment) -> NameAnswer? {
    running.remove(name)
    guard var entry = entries[name] else { return nil }
    if answer == .failure(.nameResolutionTimedOut) {
      if slowZones.count >= Self.slowZoneLimit { slowZones.removeAll() }
      slowZones.insert(String(name.zone))
    } else {
      slowZones.remove(String(name.zone))
    }
    let isExcused = entry.excuses(answer)
    let new = isExcused ? entry.answer : entry.answer?.replaced(by: answer) ?? answer
    let isNews = new != entry.answer
    let isDisturbed = entry.isDisturbed
    entry.lacksServer = answer == .failure(.nameServerUnreachable)
    var isOutdated = false
    if case .running(let since, let outdated) = entry.phase {
      entry.lookUpDuration = since.duration(to: now)
      entry.phase = .resting(until: nil)
      isOutdated = outdated
    }
    entry.answer = new
    if !isExcused { (entry.answered, entry.isOfOldSettings) = (now, false) }
    if case .failure = answer { entry.failures += 1 } else { entry.failures = 0 }
    let failures = entry.failures
    let isWatched = entry.watchers > 0
    entries[name] = isOutdated && !isWatched ? nil : entry
    guard isWatched else { return nil }
    if isOutdated || (isExcused && isDisturbed) {
      enqueue(name)
    } else {
      let interval = failures > 0 ? Self.backoff(failures: failures) : Self.refreshInterval
      schedule(name, at: now.advanced(by: interval))
    }
    return isNews ? new : nil
  }
}

extension NameTable {
  private mutating func refreshIfSettled(_ now: Moment) {
    if let settling, settling.until <= now { refresh() }
  }

  private mutating func enqueue(_ name: Name) {
    guard entries[name]?.isResting != false, abandoned[name, default: 0] < Self.abandonedLimit.ofName else {
      return
    }
    entries[name, default: NameEntry()].phase = .queued
    let zone = String(name.zone)
    if queues[zone] == nil { zones.append(zone) }
    queues[zone, default: []].append(name)
  }

  private mutating func schedule(_ name: Name, at moment: Moment) {
    guard entries[name]?.isResting == true else { return }
    entries[name]?.phase = .resting(until: moment)
    deadlines.insert(moment, name)
  }

  /// Removes a queued name whose lookup leaves room for zones with faster servers; zones are served round-robin.
  private mutating func dequeueStartable(_ now: Moment) -> Name? {
    var runningZones: [String: Int] = [:]
    var slow = 0
    for name in running {
      let zone = String(name.zone)
      runningZones[zone, default: 0] += 1
      let isSlow = entries[name]?.started.map { $0.duration(to: now) >= Self.slowness } ?? true
      if isSlow || slowZones.contains(zone) { slow += 1 }
    }
    var position = 0
    while position < zones.count {
      let zone = zones[position]
      guard runningZones[zone, default: 0] < Self.zoneLimit,
        slow < Self.zoneLimit || !slowZones.contains(zone)
      else {
        position += 1
        continue
      }
      zones.remove(at: position)
      if let name = dequeueWanted(from: zone) { return name }
    }
    return nil
  }

  /// Removes the first name in a zone's queue that is still wanted, and moves the rest behind the other zones.
  private mutating func dequeueWanted(from zone: String) -> Name? {
    var names = queues.removeValue(forKey: zone)?[...] ?? []
    var taken: Name?
    while taken == nil, let name = names.popFirst() {
      if entries[name]?.phase == .queued { taken = name }
    }
    if !names.isEmpty {
      queues[zone] = Array(names)
      zones.append(zone)
    }
    return taken
  }

  /// Forgets the old answers of unobserved names, when there are many.
  private mutating func dropForgotten(_ now: Moment) {
    guard entries.count > manyEntries else { return }
    // The remaining entries are not examined again for each name that is added.
    defer { manyEntries = max(64, 2 * entries.count) }
    entries = entries.filter { _, entry in
      entry.watchers > 0 || !entry.isResting
        || (entry.answered.map { $0.duration(to: now) < Self.keepInterval } ?? false)
    }
  }
}

extension NameTable {
  static var limit: Int { NameLookups.limit }
  /// The highest number of concurrent lookups in one zone, and in all zones together whose servers did not answer.
  static var zoneLimit: Int { 4 }
  /// The highest number of remembered slow zones.
  static var slowZoneLimit: Int { 1024 }
  /// The time after which a lookup is abandoned: resolvers wait forever for the rest of an answer over TCP.
  static var timeLimit: Duration { .seconds(30) }
  /// The number of abandoned lookups still running at which a name, or any name, is not looked up again.
  static var abandonedLimit: (ofName: Int, ofAll: Int) { (4, 32) }
  /// The duration from which on a lookup is slow.
  static var slowness: Duration { .seconds(1) }
  /// The duration up to which a lookup may need no name server: one that takes longer waits for a reply.
  static var promptness: Duration { .milliseconds(100) }
  /// The age at which an answer is looked up again; the system's resolver does not report how long it is valid.
  static var refreshInterval: Duration { .seconds(60) }
  /// The time for which the answer of an unobserved name is kept.
  static var keepInterval: Duration { .seconds(60) }
  /// The time without changes of the network after which names are looked up again, and the longest delay by it.
  static var settlingTime: (quiet: Duration, most: Duration) { (.seconds(1), .seconds(5)) }
  /// The same time for the resolver's settings, which are written in one step.
  static var settingsQuietTime: Duration { .milliseconds(100) }
}
