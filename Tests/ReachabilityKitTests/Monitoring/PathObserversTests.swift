// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing

@testable import ReachabilityKit

/// Deliveries of the path, and the times of its queries.
@Suite(.deadline) struct PathObserversTests {
  private typealias Observers = PathObservers<Watcher>

  private let start = Moment.now
  private let far = NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")])

  private func at(_ milliseconds: Int) -> Moment {
    start.advanced(by: .milliseconds(milliseconds))
  }

  /// One observer of paths, without requirements, that has received the path.
  private func observers(_ evaluation: PathEvaluation = .number(1)) -> Observers {
    var observers = Observers()
    observers.add(Watcher("a"), for: .none)
    _ = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    _ = observers.accept(evaluation, now: at(0))
    return observers
  }

  /// The deliveries, as `a: mtu`.
  private func told(_ deliveries: [Observers.Delivery]) -> [String] {
    deliveries.flatMap { delivery in
      delivery.observers.map { "\($0.name): \(delivery.path.interfaces.first?.mtu ?? 0)" }
    }
    .sorted()
  }

  @Test func `without observers there is no query and no deadline`() {
    var observers = Observers()
    #expect(observers.isEmpty)
    let isAsking = observers.needsEvaluation(after: .all, now: at(0))
    #expect(!isAsking)
    #expect(observers.nextDeadline == nil)
  }

  @Test func `every observer receives a path from a query after it joined`() {
    var observers = Observers()
    observers.add(Watcher("a"), for: .none)
    var asked = [observers.needsEvaluation(after: NetworkChange(), now: at(0))]
    // Too late for the pending query.
    observers.add(Watcher("b"), for: .none)
    #expect(told(observers.accept(.number(1), now: at(0))) == ["a: 1"])
    for _ in 0..<2 { asked.append(observers.needsEvaluation(after: NetworkChange(), now: at(0))) }
    #expect(asked == [true, true, false])
    #expect(told(observers.accept(.number(1), now: at(0))) == ["b: 1"])
    observers.add(Watcher("c"), for: .none)
    _ = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(told(observers.accept(.number(2), now: at(0))) == ["a: 2", "b: 2", "c: 2"])
  }

  @Test func `an observer with requirements receives the path that meets them`() {
    var observers = observers()
    observers.add(Watcher("b"), for: .requiring(.wifi))
    let isAsking = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(isAsking)
    let deliveries = observers.accept(.number(1), now: at(0))
    #expect(deliveries.map(\.path.reason) == [.interfaceNotFound])
    #expect(told(deliveries) == ["b: 0"])
  }

  @Test func `an observer that left before the answer receives no path`() {
    var observers = observers()
    let watcher = Watcher("b")
    observers.add(watcher, for: .none)
    _ = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    observers.remove(watcher)
    #expect(told(observers.accept(.number(2), now: at(0))) == ["a: 2"])
  }

  @Test func `an observer receives a path only if it is new under its requirements`() {
    var observers = observers()
    observers.add(Watcher("b"), for: .requiring(.wired))
    observers.add(Watcher("c"), for: .requiring(.wifi))
    _ = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    #expect(told(observers.accept(.number(1), now: at(0))) == ["b: 1", "c: 0"])
    #expect(told(observers.accept(.number(1), now: at(0))) == [])
    #expect(told(observers.accept(.number(2), now: at(0))) == ["a: 2", "b: 2"])
    #expect(told(observers.accept(.number(2), now: at(0))) == [])
  }

  @Test(
    arguments: [
      (NetworkChange.all, true), (NetworkChange(linkDetails: true), true), (NetworkChange(), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")]), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16"), IPPrefix(literal: "0.0.0.0/0")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "0.0.0.0/1")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "2000::/3")]), true),
      (NetworkChange(prefixes: [IPPrefix(literal: "fd00::/8")]), false),
      (NetworkChange(imminent: [IPPrefix(literal: "::/0")]), true),
      (NetworkChange(imminent: [IPPrefix(literal: "fd00::/8")]), false),
      (NetworkChange(prefixes: [IPPrefix(literal: "10.66.0.53/32")]), true),
    ])
  func `only changes of the default route or of a name server's route lead to a query`(
    change: NetworkChange, isOccasion: Bool
  ) {
    var path = ReachabilityPath.number(1)
    path.nameServers = [.init("10.66.0.53")]
    var observers = observers(PathEvaluation(path))
    let isAsking = observers.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking == isOccasion)
  }

  @Test func `an announced change is queried three times more`() {
    var observers = observers()
    let change = NetworkChange(imminent: [IPPrefix(literal: "::/0")])
    let isAsking = observers.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking)
    #expect(observers.nextDeadline == at(1002))
    var asked: [Bool] = []
    for moment in [1001, 1002, 1003, 1100, 1200, 2000] {
      asked.append(observers.needsEvaluation(after: NetworkChange(), now: at(moment)))
    }
    #expect(asked == [false, true, false, true, false, true])
    #expect(observers.nextDeadline == nil)
  }

  @Test func `the path is evaluated three times after missed announcements, but not immediately`() {
    var observers = observers()
    let missed = NetworkChange(missed: [IPPrefix(literal: "::/0")])
    var asked = [observers.needsEvaluation(after: missed, now: at(1000))]
    for moment in [1002, 1100, 2000] {
      asked.append(observers.needsEvaluation(after: NetworkChange(), now: at(moment)))
    }
    #expect(asked == [false, true, true, true])
    #expect(observers.nextDeadline == nil)
  }

  @Test func `the end of a lifetime leads to a query`() {
    var evaluation = PathEvaluation.number(1)
    evaluation.lifetime = .seconds(5)
    var observers = observers(evaluation)
    #expect(observers.nextDeadline == at(5000))
    var asked: [Bool] = []
    for moment in [4900, 5000, 5000] { asked.append(observers.needsEvaluation(after: far, now: at(moment))) }
    #expect(asked == [false, true, false])
    _ = observers.accept(.number(1), now: at(5000))
    // The kernel reports no lifetime for its last hundredth of a second.
    #expect(observers.nextDeadline == at(5002))
    for moment in [5001, 5002, 5100, 5999, 6000] {
      asked.append(observers.needsEvaluation(after: far, now: at(moment)))
    }
    #expect(asked.suffix(5) == [false, true, true, false, true])
    _ = observers.accept(.number(1), now: at(6000))
    #expect(observers.nextDeadline == nil)
  }

  @Test(arguments: [NetworkChange(linkDetails: true), NetworkChange(names: true)])
  func `a change of details that only a path has leads to a query`(_ change: NetworkChange) {
    var observers = observers()
    let isAsking = observers.needsEvaluation(after: change, now: at(1000))
    #expect(isAsking)
  }

  @Test func `removing the last observer discards the path`() {
    var evaluation = PathEvaluation.number(1)
    evaluation.lifetime = .seconds(5)
    var observers = Observers()
    let (one, other) = (Watcher("a"), Watcher("b"))
    observers.add(one, for: .none)
    observers.add(other, for: .none)
    _ = observers.needsEvaluation(after: NetworkChange(), now: at(0))
    _ = observers.accept(evaluation, now: at(0))
    for _ in 0..<2 { observers.remove(one) }
    #expect(!observers.isEmpty)
    #expect(told(observers.accept(.number(2), now: at(0))) == ["b: 2"])
    observers.remove(other)
    #expect(observers.isEmpty)
    #expect(observers.nextDeadline == nil)
    observers.add(Watcher("c"), for: .none)
    #expect(observers.addresses == [])
  }
}
