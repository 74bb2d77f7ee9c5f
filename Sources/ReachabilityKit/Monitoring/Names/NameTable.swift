/// Decides which names are looked up when, a few at a time.
///
/// Pure: time goes in as a value. Equal names share one look-up. A name that somebody watches is looked up again on
/// an interval, sooner after a failure, and when the network or the resolver's settings changed.
struct NameTable: Sendable {
  typealias Instant = SuspendingClock.Instant

  private struct NameEntry: Sendable {
    var watchers = 0
    var answer: NameAnswer?
    var answered: Instant?
    /// How long the look-up took.
    var lookUpDuration: Duration?
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

  private var entries: [ReachabilityTarget.HostName: NameEntry] = [:]
  /// So many are gone through for those that can be forgotten.
  private var manyEntries = 64
  private var deadlines = DeadlineQueue<ReachabilityTarget.HostName>()
  /// The names that want to be looked up, by zone; some may be there that nobody wants any more.
  private var queues: [String: [ReachabilityTarget.HostName]] = [:]
  /// The zones that have a queue; the next look-up is in the first one that may have another.
  private var zones: [String] = []
  private var running: Set<ReachabilityTarget.HostName> = []
  /// How many look-ups of each name were given up and have not ended yet.
  private var givenUp: [ReachabilityTarget.HostName: Int] = [:]
  /// The parts of the name space whose servers let the last look-up wait in vain.
  private var slowZones: Set<String> = []
  /// When the changes that came one after the other have settled.
  private var settling: (since: Instant, until: Instant)?

  /// When a name that was not found is looked up again: after 1 s, then twice as long each time, up to 60 s.
  static func backoff(failures: Int) -> Duration {
    .seconds(min(1 << min(max(failures - 1, 0), 6), 60))
  }

  /// When ``startNext(_:)`` should be called even if nothing happens.
  var nextDeadline: Instant? {
    [deadlines.next, settling?.until, nextToGiveUp].compactMap(\.self).min()
  }

  /// Returns what is known of a name, and wants it looked up if that is nothing, or too old.
  mutating func answer(for name: ReachabilityTarget.HostName, now: Instant) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    refreshIfSettled(now)
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

  /// What is known of a name, without wanting to know more.
  func knownAnswer(for name: ReachabilityTarget.HostName) -> NameAnswer? { entries[name]?.answer }

  /// How long the last look-up of a name took, if its answer is known.
  func lookUpDuration(of name: ReachabilityTarget.HostName) -> Duration? { entries[name]?.lookUpDuration }

  /// Begins to keep a name up to date; returns what is known of it.
  mutating func watch(_ name: ReachabilityTarget.HostName, now: Instant) -> NameAnswer? {
    if name.isLocalHost { return .loopback }
    let known = answer(for: name, now: now)
    entries[name, default: NameEntry()].watchers += 1
    guard let entry = entries[name], entry.watchers == 1, let answered = entry.answered, entry.started == nil,
      !entry.isQueued
    else { return known }
    // Nobody has listened for changes since, so an older answer is told, but not relied on.
    if entry.failures > 0 {
      schedule(name, at: answered.advanced(by: Self.backoff(failures: entry.failures)))
    } else if answered.duration(to: now) >= Self.settlingTime.quiet {
      enqueue(name)
    } else {
      schedule(name, at: answered.advanced(by: Self.refreshInterval))
    }
    return known
  }

  /// Ends one watch of a name.
  mutating func unwatch(_ name: ReachabilityTarget.HostName) {
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
    for (name, entry) in entries {
      entries[name]?.failures = 0
      if entry.started != nil {
        entries[name]?.isOutdated = true
      } else if entry.watchers > 0 {
        enqueue(name)
      }
    }
    // What nobody watches is not worth a look-up, nor to be believed.
    entries = entries.filter { $0.value.watchers > 0 || $0.value.started != nil || $0.value.isQueued }
  }

  /// Returns a name to look up now, or `nil` if there is none or enough is going on; the look-up counts as begun.
  mutating func startNext(_ now: Instant) -> ReachabilityTarget.HostName? {
    refreshIfSettled(now)
    while let name = deadlines.popDue(now) {
      guard let due = entries[name]?.due, due <= now else { continue }
      enqueue(name)
    }
    guard running.count < Self.limit, givenUp.values.reduce(0, +) < Self.givenUpLimit.ofAll,
      let name = takeStartable(now)
    else { return nil }
    entries[name]?.isQueued = false
    entries[name]?.started = now
    running.insert(name)
    return name
  }

  /// Returns all names to look up now.
  mutating func startAll(_ now: Instant) -> [ReachabilityTarget.HostName] {
    var names: [ReachabilityTarget.HostName] = []
    while let name = startNext(now) { names.append(name) }
    return names
  }

  /// Gives up the look-ups that have gone on for too long; no name server answered in time.
  mutating func giveUpOverdue(_ now: Instant) -> [(name: ReachabilityTarget.HostName, answer: NameAnswer)] {
    guard let next = nextToGiveUp, next <= now else { return [] }
    let overdue = running.filter { name in
      entries[name]?.started.map { $0.duration(to: now) >= Self.patience } ?? false
    }
    for name in overdue { givenUp[name, default: 0] += 1 }
    return overdue.compactMap { name in
      accept(.failure(.nameResolutionTimedOut), for: name, now: now).map { (name, $0) }
    }
  }

  private var nextToGiveUp: Instant? {
    running.compactMap { entries[$0]?.started }.min()?.advanced(by: Self.patience)
  }

  /// Takes the answer of a look-up.
  ///
  /// - Parameter start: When the look-up was begun.
  /// - Returns: The answer, if the name is watched and it is another one than before.
  mutating func accept(
    _ answer: NameAnswer, ofLookUpBegunAt start: Instant, for name: ReachabilityTarget.HostName, now: Instant
  ) -> NameAnswer? {
    guard running.contains(name), entries[name]?.started == start else {
      let count = givenUp[name, default: 0]
      givenUp[name] = count > 1 ? count - 1 : nil
      // Whoever wanted it meanwhile could not have it.
      if count == Self.givenUpLimit.ofName, entries[name]?.watchers ?? 0 > 0 { enqueue(name) }
      return nil
    }
    return accept(answer, for: name, now: now)
  }

  /// Puts off a look-up that could not begin; what was known of the name stays as it was.
  mutating func postpone(_ name: ReachabilityTarget.HostName, now: Instant) -> NameAnswer? {
    let news = accept(entries[name]?.answer ?? .failure(.systemError), for: name, now: now)
    if let entry = entries[name], entry.watchers > 0 {
      schedule(name, at: now.advanced(by: Self.backoff(failures: 1)))
    }
    return news
  }

  private mutating func accept(_ answer: NameAnswer, for name: ReachabilityTarget.HostName, now: Instant)
    -> NameAnswer?
  {
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
    entry.lookUpDuration = entry.started?.duration(to: now)
    entry.started = nil
    entry.isOutdated = false
    if case .failure = new { entry.failures += 1 } else { entry.failures = 0 }
    let failures = entry.failures
    let isWatched = entry.watchers > 0
    entries[name] = isOutdated && !isWatched ? nil : entry
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
  private mutating func refreshIfSettled(_ now: Instant) {
    if let settling, settling.until <= now { refresh() }
  }

  private mutating func enqueue(_ name: ReachabilityTarget.HostName) {
    guard entries[name]?.isQueued != true, entries[name]?.started == nil,
      givenUp[name, default: 0] < Self.givenUpLimit.ofName
    else { return }
    entries[name, default: NameEntry()].isQueued = true
    entries[name]?.due = nil
    let zone = String(name.zone)
    if queues[zone] == nil { zones.append(zone) }
    queues[zone, default: []].append(name)
  }

  private mutating func schedule(_ name: ReachabilityTarget.HostName, at moment: Instant) {
    entries[name]?.due = moment
    deadlines.insert(moment, name)
  }

  /// Takes a name whose look-up leaves room for those that its name server can't delay; the zones take turns.
  private mutating func takeStartable(_ now: Instant) -> ReachabilityTarget.HostName? {
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
      if let name = takeWanted(from: zone) { return name }
    }
    return nil
  }

  /// Takes the first name out of a zone's queue that is still wanted; what is left waits behind the other zones.
  private mutating func takeWanted(from zone: String) -> ReachabilityTarget.HostName? {
    var names = queues.removeValue(forKey: zone)?[...] ?? []
    var taken: ReachabilityTarget.HostName?
    while taken == nil, let name = names.popFirst() {
      if entries[name]?.isQueued == true { taken = name }
    }
    if !names.isEmpty {
      queues[zone] = Array(names)
      zones.append(zone)
    }
    return taken
  }

  /// Forgets answers that are old and that nobody watches, when there are many.
  private mutating func dropForgotten(_ now: Instant) {
    guard entries.count > manyEntries else { return }
    // What is left is not gone through again for each name that is added to it.
    defer { manyEntries = max(64, 2 * entries.count) }
    entries = entries.filter { _, entry in
      entry.watchers > 0 || entry.started != nil || entry.isQueued
        || (entry.answered.map { $0.duration(to: now) < Self.keepInterval } ?? false)
    }
  }
}
