import Testing

@testable import ReachabilityKit

extension ReachabilityTarget.HostName {
  /// A name that is known to be one; another is a programmer's mistake and traps.
  init(literal text: String) {
    guard let name = try? ReachabilityTarget.HostName(text) else {
      preconditionFailure("\(text) is not a name")
    }
    self = name
  }
}

extension ReachabilityTarget {
  /// The host with a name that is known to be one.
  static func host(_ text: String) -> ReachabilityTarget { .host(ReachabilityTarget.HostName(literal: text)) }
}

extension NameAnswer {
  /// The addresses given, without zones.
  static func found(_ addresses: IPAddress...) -> NameAnswer {
    .addresses(addresses.map { NamedAddress($0) })
  }
}

/// A table of names with the look-ups that it began, and a clock that stands still.
struct NameBench {
  var table = NameTable()
  /// The names whose look-ups go on, in the order in which they began.
  private(set) var running: [String] = []
  /// When each of them began.
  private var starts: [NameTable.Instant] = []
  /// The look-ups that were given up and go on.
  private(set) var givenUp: [(name: String, start: NameTable.Instant)] = []
  /// How far the clock is.
  var now = Duration.zero
  private let start = SuspendingClock().now

  var instant: NameTable.Instant { start.advanced(by: now) }

  /// When the table wants to be called.
  var nextDeadline: Duration? { table.nextDeadline.map { start.duration(to: $0) } }

  /// How many names the table holds something about.
  var known: Int {
    let entries = Mirror(reflecting: table).descendant("entries") as? any Collection
    return entries?.count ?? .max
  }

  @discardableResult
  mutating func watch(_ name: String) -> NameAnswer? {
    table.watch(ReachabilityTarget.HostName(literal: name), now: instant)
  }

  mutating func unwatch(_ name: String) {
    table.unwatch(ReachabilityTarget.HostName(literal: name))
  }

  mutating func answer(for name: String) -> NameAnswer? {
    table.answer(for: ReachabilityTarget.HostName(literal: name), now: instant)
  }

  mutating func noteChange(ofSettings: Bool = false) {
    table.noteChange(ofSettings: ofSettings, now: instant)
  }

  /// Begins the look-ups whose time has come.
  @discardableResult
  mutating func begin() -> [String] {
    let names = table.startAll(instant).map(\.text)
    running += names
    starts += names.map { _ in instant }
    return names
  }

  /// Lets the clock go on to a moment, and begins the look-ups whose time has come.
  @discardableResult
  mutating func begin(at moment: Duration) -> [String] {
    now = moment
    return begin()
  }

  /// Ends a look-up; returns what there is to tell.
  @discardableResult
  mutating func finish(_ name: String, _ answer: NameAnswer) -> NameAnswer? {
    guard let position = running.firstIndex(of: name) else {
      Issue.record("\(name) is not looked up")
      return nil
    }
    running.remove(at: position)
    let start = starts.remove(at: position)
    return table.accept(
      answer, ofLookUpBegunAt: start, for: ReachabilityTarget.HostName(literal: name), now: instant)
  }

  /// Lets the clock go on to a moment, and gives up what is overdue then; returns what there is to tell.
  mutating func giveUp(at moment: Duration) -> [String: NameAnswer] {
    now = moment
    let told = table.abandonOverdue(instant)
    for index in running.indices.reversed() where starts[index].duration(to: instant) >= NameTable.timeLimit {
      givenUp.append((running.remove(at: index), starts.remove(at: index)))
    }
    return Dictionary(uniqueKeysWithValues: told.map { ($0.name.text, $0.answer) })
  }

  /// Ends the look-up that was given up first; returns what there is to tell.
  mutating func finishGivenUp(_ answer: NameAnswer) -> NameAnswer? {
    let (name, start) = givenUp.removeFirst()
    return table.accept(
      answer, ofLookUpBegunAt: start, for: ReachabilityTarget.HostName(literal: name), now: instant)
  }

  /// Watches a name and has it answered now.
  mutating func watch(_ name: String, answering answer: NameAnswer) {
    watch(name)
    begin()
    finish(name, answer)
  }
}
