/// Decides which names are looked up when, a few at a time.
///
/// Pure: time goes in as a value. Equal names share one look-up. A name that somebody watches is looked up again on
/// an interval, sooner after a failure, and when the network or the resolver's settings changed.
struct NameTable: Sendable {
  typealias Instant = SuspendingClock.Instant

  private struct Entry: Sendable {
    var watchers = 0
    var answer: NameAnswer?
    var answered: Instant?
    /// How many look-ups failed in a row.
    var failures = 0
    /// When it wants to be looked up again; `nil` while it is queued or looked up.
    var due: Instant?
    var isQueued = false
    /// When the look-up that goes on began.
    var started: Instant?
    /// Whether something changed meanwhile, so that the answer may be an old one.
    var isOutdated = false
  }

  private var entries: [HostName: Entry] = [:]
  private var deadlines = DeadlineQueue<HostName>()
  private var queue: [HostName] = []
  private var running: Set<HostName> = []
  /// The parts of the name space whose servers let the last look-up wait in vain.
  private var slowZones: Set<String> = []
  /// When the changes that came one after the other have settled.
  private var settling: (since: Instant, until: Instant)?

  /// How many look-ups go on at once at most.
  static var limit: Int { 6 }
  /// How many of these may be in one zone, and how many in all zones together whose servers did not answer.
  static var zoneLimit: Int { 4 }
  /// How many zones are remembered at most.
  static var slowZoneLimit: Int { 1024 }
  /// From when on a look-up is a slow one.
  static var slowness: Duration { .seconds(1) }
  /// When a name that was found is looked up again; the system's resolver does not tell how long an answer holds.
  static var refreshInterval: Duration { .seconds(60) }
  /// How long an answer is kept that nobody watches.
  static var keepInterval: Duration { .seconds(60) }
  /// How long the network must stand still before names are looked up again, and how long that is waited for at most.
  static var settlingTime: (quiet: Duration, most: Duration) { (.seconds(1), .seconds(5)) }
  /// The same for the resolver's settings, which are written in one go.
  static var settingsQuietTime: Duration { .milliseconds(100) }

  /// When a name that was not found is looked up again: after 1 s, then twice as long each time, up to 60 s.
  static func backoff(failures: Int) -> Duration {
    .seconds(min(1 << min(max(failures - 1, 0), 6), 60))
  }

  /// When ``startNext(_:)`` should be called even if nothing happens.
  var nextDeadline: Instant? {
    [deadlines.next, settling?.until].compactMap(\.self).min()
  }

  /// Returns what is known of a name, and wants it looked up if that is nothing, or too old.
  mutating func answer(for name: HostName, now: Instant) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    if let entry = entries[name] {
      if entry.watchers > 0 { return entry.answer }
      if let age = entry.answered?.duration(to: now), age < Self.keepInterval {
        // A failure may be over sooner, but is the best answer until that is known.
        if entry.failures > 0, age >= Self.backoff(failures: entry.failures) { enqueue(name) }
        return entry.answer
      }
      // What was true a minute ago is worth less than the truth in a moment.
      if entry.started == nil, !entry.isQueued { entries[name] = nil }
    }
    dropForgotten(now)
    enqueue(name)
    return entries[name]?.answer
  }

  /// Begins to keep a name up to date; returns what is known of it.
  mutating func watch(_ name: HostName, now: Instant) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    let known = answer(for: name, now: now)
    entries[name, default: Entry()].watchers += 1
    if entries[name]?.watchers == 1, known != nil {
      schedule(name, at: now.advanced(by: Self.refreshInterval))
    }
    return known
  }

  /// Ends one watch of a name.
  mutating func unwatch(_ name: HostName) {
    guard let watchers = entries[name]?.watchers, watchers > 0 else { return }
    entries[name]?.watchers -= 1
    guard watchers == 1 else { return }
    entries[name]?.due = nil
    // A look-up that was not begun is of no use to anybody any more.
    if entries[name]?.isQueued == true { entries[name] = nil }
  }

  /// Notes that the network changed, or the resolver's settings; names are looked up again when that has settled.
  mutating func noteChange(ofSettings: Bool, now: Instant) {
    let quiet = ofSettings ? Self.settingsQuietTime : Self.settlingTime.quiet
    let since = settling?.since ?? now
    let latest = since.advanced(by: Self.settlingTime.most)
    settling = (since, min(max(settling?.until ?? now, now.advanced(by: quiet)), latest))
  }

  /// Wants every watched name looked up again now.
  mutating func refresh() {
    settling = nil
    for (name, entry) in entries where entry.watchers > 0 {
      entries[name]?.failures = 0
      if entry.started != nil { entries[name]?.isOutdated = true } else { enqueue(name) }
    }
    // What nobody watches is not worth a look-up, nor to be believed.
    entries = entries.filter { $0.value.watchers > 0 || $0.value.started != nil || $0.value.isQueued }
  }

  /// Returns a name to look up now, or `nil` if there is none or enough is going on; the look-up counts as begun.
  mutating func startNext(_ now: Instant) -> HostName? {
    if let settling, settling.until <= now { refresh() }
    while let name = deadlines.popDue(now) {
      guard let due = entries[name]?.due, due <= now else { continue }
      enqueue(name)
    }
    guard running.count < Self.limit, let name = takeStartable(now) else { return nil }
    entries[name]?.isQueued = false
    entries[name]?.started = now
    running.insert(name)
    return name
  }

  /// Returns all names to look up now.
  mutating func startAll(_ now: Instant) -> [HostName] {
    var names: [HostName] = []
    while let name = startNext(now) { names.append(name) }
    return names
  }

  /// Takes the answer of a look-up.
  ///
  /// - Returns: The answer, if the name is watched and it is another one than before.
  mutating func accept(_ answer: NameAnswer, for name: HostName, now: Instant) -> NameAnswer? {
    running.remove(name)
    guard var entry = entries[name] else { return nil }
    if answer == .failure(.nameResolutionTimedOut) {
      if slowZones.count >= Self.slowZoneLimit { slowZones.removeAll() }
      slowZones.insert(String(name.zone))
    } else {
      slowZones.remove(String(name.zone))
    }
    let new = entry.answer?.replaced(by: answer) ?? answer
    let isNews = new != entry.answer
    let isOutdated = entry.isOutdated
    entry.answer = new
    entry.answered = now
    entry.started = nil
    entry.isOutdated = false
    if case .failure = new { entry.failures += 1 } else { entry.failures = 0 }
    let failures = entry.failures
    let isWatched = entry.watchers > 0
    entries[name] = entry
    guard isWatched else { return nil }
    if isOutdated {
      enqueue(name)
    } else {
      let interval = failures > 0 ? Self.backoff(failures: failures) : Self.refreshInterval
      schedule(name, at: now.advanced(by: interval))
    }
    return isNews ? new : nil
  }
}

extension NameTable {
  private mutating func enqueue(_ name: HostName) {
    guard entries[name]?.isQueued != true, entries[name]?.started == nil else { return }
    entries[name, default: Entry()].isQueued = true
    entries[name]?.due = nil
    queue.append(name)
  }

  private mutating func schedule(_ name: HostName, at moment: Instant) {
    entries[name]?.due = moment
    deadlines.insert(moment, name)
  }

  /// Takes the first name out of the queue whose look-up leaves room for those that its name server can't delay.
  private mutating func takeStartable(_ now: Instant) -> HostName? {
    queue.removeAll { entries[$0]?.isQueued != true }
    var runningZones: [Substring: Int] = [:]
    var slow = 0
    for name in running {
      runningZones[name.zone, default: 0] += 1
      let isSlow = entries[name]?.started.map { $0.duration(to: now) >= Self.slowness } ?? true
      if isSlow || slowZones.contains(String(name.zone)) { slow += 1 }
    }
    let position = queue.firstIndex { name in
      guard runningZones[name.zone, default: 0] < Self.zoneLimit else { return false }
      return slow < Self.zoneLimit || !slowZones.contains(String(name.zone))
    }
    return position.map { queue.remove(at: $0) }
  }

  /// Forgets answers that are old and that nobody watches, when there are many.
  private mutating func dropForgotten(_ now: Instant) {
    guard entries.count > 64 else { return }
    entries = entries.filter { _, entry in
      entry.watchers > 0 || entry.started != nil || entry.isQueued
        || (entry.answered.map { $0.duration(to: now) < Self.keepInterval } ?? false)
    }
  }
}
