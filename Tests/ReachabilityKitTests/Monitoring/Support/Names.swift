// SPDX-License-Identifier: Apache-2.0
import POSIX
import Testing

@testable import ReachabilityKit

extension ReachabilityTarget.HostName {
  /// A valid name; an invalid literal is a programmer's mistake and traps.
  init(literal text: String) {
    guard let name = try? ReachabilityTarget.HostName(text) else {
      preconditionFailure("\(text) is not a name")
    }
    self = name
  }
}

extension ReachabilityTarget {
  /// The host with a valid name.
  static func host(_ text: String) -> ReachabilityTarget { .host(ReachabilityTarget.HostName(literal: text)) }
}

extension NameAnswer {
  /// The given addresses, without zones.
  static func found(_ addresses: ReachabilityAddress...) -> NameAnswer {
    .addresses(addresses.map { NamedAddress($0) })
  }
}

/// A table of names with the lookups that it began, and a clock that the test advances.
struct NameBench {
  var table = NameTable()
  /// The names whose lookups are running, in the order in which they began.
  private(set) var running: [String] = []
  /// The start time of each.
  private var starts: [Moment] = []
  /// The lookups that were abandoned and are still running.
  private(set) var givenUp: [(name: String, start: Moment)] = []
  /// The present time of the clock.
  var now = Duration.zero
  private let start = Moment.now
  /// A thread for all lookups.
  let thread = ThreadProgress(ofThread: Thread.currentNumber)

  var instant: Moment { start.advanced(by: now) }

  /// The next deadline of the table.
  var nextDeadline: Duration? { table.nextDeadline.map { start.duration(to: $0) } }

  /// The number of names for which the table keeps state.
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

  mutating func recordChange(ofSettings: Bool = false) {
    table.recordChange(ofSettings: ofSettings, now: instant)
  }

  /// Begins the lookups that are due.
  @discardableResult
  mutating func begin() -> [String] {
    let started = table.startAll(instant)
    for name in started { table.recordBegin(of: name, startedAt: instant, now: instant, on: thread) }
    let names = started.map(\.text)
    running += names
    starts += names.map { _ in instant }
    return names
  }

  /// Advances the clock to an instant, and begins the lookups that are due.
  @discardableResult
  mutating func begin(at moment: Duration) -> [String] {
    now = moment
    return begin()
  }

  /// Ends a lookup; returns the answer to deliver.
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

  /// Advances the clock to an instant, and abandons what is overdue then; returns the answers to deliver.
  mutating func giveUp(at moment: Duration) -> [String: NameAnswer] {
    now = moment
    let told = table.abandonOverdue(instant)
    for index in running.indices.reversed() where starts[index].duration(to: instant) >= NameTable.timeLimit {
      giveUp(index)
    }
    return Dictionary(uniqueKeysWithValues: told.map { ($0.name.text, $0.answer) })
  }

  /// Whether a lookup has run for so long that the name servers are examined.
  func isSlow(_ name: String) -> Bool {
    running.firstIndex(of: name).map { starts[$0].duration(to: instant) >= NameTable.promptness } ?? false
  }

  /// Examines the name servers for the lookups that take long; returns the answers to deliver.
  @discardableResult
  mutating func examine(isServerReachable: Bool, busy: Set<String> = []) -> [String: NameAnswer] {
    let busy = Set(busy.map { ReachabilityTarget.HostName(literal: $0) })
    let told = table.examine(instant, isServerReachable: isServerReachable, busy: busy)
    return Dictionary(uniqueKeysWithValues: told.map { ($0.name.text, $0.answer) })
  }

  /// Notes that a name server became reachable; returns the names whose lookups that makes due.
  @discardableResult
  mutating func recordReachableServer() -> [String] {
    // No lookup begins at the moment at which the one that it replaces began.
    now += .nanoseconds(1)
    let waiting = Set(table.waitingForServer.map(\.text))
    table.recordReachableServer()
    for index in running.indices.reversed() where waiting.contains(running[index]) {
      let name = running[index]
      if givenUp.count(where: { $0.name == name }) + 1 < NameTable.abandonedLimit.ofName { giveUp(index) }
    }
    return waiting.subtracting(table.waitingForServer.map(\.text)).sorted()
  }

  private mutating func giveUp(_ index: Int) {
    givenUp.append((running.remove(at: index), starts.remove(at: index)))
  }

  /// Ends the lookup that was abandoned first; returns the answer to deliver.
  mutating func finishGivenUp(_ answer: NameAnswer) -> NameAnswer? {
    let (name, start) = givenUp.removeFirst()
    return table.accept(
      answer, ofLookUpBegunAt: start, for: ReachabilityTarget.HostName(literal: name), now: instant)
  }

  /// Watches a name and answers its lookup immediately.
  mutating func watch(_ name: String, answering answer: NameAnswer) {
    watch(name)
    begin()
    finish(name, answer)
  }
}
