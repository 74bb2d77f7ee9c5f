// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import POSIX
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct MonitorStateMachineTests {
  private static let target = ReachabilityTarget.address("10.9.0.1")
  private let a = ReachabilityStatus.number(1)
  private let b = ReachabilityStatus.number(2)
  private let c = ReachabilityStatus.number(3)

  private func told(_ name: String, _ status: ReachabilityStatus, _ previous: ReachabilityStatus? = nil)
    -> Bench.Told
  {
    Bench.Told(name: name, target: Self.target, status: status, previous: previous)
  }

  @Test func `nothing is delivered before the status is known`() {
    var bench = Bench()
    #expect(bench.machine.isEmpty)
    bench.watch("x", Self.target)
    #expect(!bench.machine.isEmpty)
    #expect(bench.takeTold() == [])
    #expect(bench.run() == [Self.target])
    #expect(bench.takeTold() == [told("x", .notReachable(.noRoute))])
    #expect(bench.nextDeadline == nil)
  }

  @Test func `an observer that leaves during a query passes its answer to no later observer`() {
    var machine = MonitorStateMachine<Watcher>()
    let now = Moment.now
    let key = Bench.Key(target: Self.target, settling: .zero)
    let id = machine.add(Watcher("w"), for: key)
    _ = machine.questions(after: NetworkChange(), now: now)
    _ = machine.accept(Evaluation(a), for: id, now: now)
    let watchers = ["x", "y", "z"].map(Watcher.init)
    for watcher in watchers[..<2] { machine.add(watcher, for: key) }
    #expect(machine.questions(after: NetworkChange(), now: now).ids == [id])
    machine.remove(watchers[0], from: id)
    machine.add(watchers[2], for: key)
    let deliveries = machine.accept(Evaluation(a), for: id, now: now)
    #expect(deliveries.map(\.observer.name) == ["y"])
  }

  @Test func `a new target is queried once`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    #expect([bench.run(), bench.run(), bench.run(at: 1_000)] == [[Self.target], [], []])
  }

  @Test func `every observer's first event is the initial one, also a late observer's`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.watch("y", Self.target)
    #expect(bench.set(Self.target, a) == [told("x", a), told("y", a)])

    bench.watch("late", Self.target)
    #expect(bench.takeTold() == [])
    #expect(bench.run() == [Self.target])
    #expect(bench.takeTold() == [told("late", a)])
    #expect(bench.run() == [])
    #expect(bench.set(Self.target, b) == [told("x", b, a), told("y", b, a), told("late", b, a)])
  }

  @Test func `a joining observer receives the answer to the next query, the others a change`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.set(Self.target, a)
    bench.world[Self.target] = Evaluation(b)
    bench.watch("y", Self.target)
    bench.watch("z", Self.target)
    bench.leave("y")
    #expect(bench.run() == [Self.target])
    #expect(bench.takeTold() == [told("x", b, a), told("z", b)])
    bench.watch("last", Self.target)
    bench.leave("x")
    bench.leave("z")
    #expect(bench.set(Self.target, c) == [told("last", c)])
    #expect(bench.set(Self.target, a) == [told("last", a, c)])
    bench.leave("last")
    #expect(bench.machine.isEmpty)
  }

  @Test func `an answer is delivered only to observers that joined before its query`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.set(Self.target, a)
    bench.watch("y", Self.target)
    let early = bench.machine.questions(after: NetworkChange(), now: bench.at(0))
    bench.watch("z", Self.target)
    let events = bench.machine.accept(Evaluation(b), for: early.ids[0], now: bench.at(0))
    #expect(events.map(\.observer.name) == ["x", "y"])
    #expect(events.map(\.event.previous) == [a, nil])
    #expect(bench.set(Self.target, c) == [told("x", c, b), told("y", c, b), told("z", c)])
    #expect(bench.run() == [])
  }

  @Test func `equal statuses are dropped`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    #expect(bench.set(Self.target, a) == [told("x", a)])
    #expect(bench.set(Self.target, a) == [])
    #expect(bench.set(Self.target, b) == [told("x", b, a)])
    #expect(bench.set(Self.target, b) == [])
    #expect(bench.set(Self.target, a) == [told("x", a, b)])
  }

  @Test(
    arguments: [
      { $0.state = .notReachable }, { $0.reason = .noCarrier }, { $0.flags = [.reachable, .isDirect] },
      { $0.interface?.kind = .wifi }, { $0.interface?.name = "lan" }, { $0.interface?.index = 3 },
      { $0.gateway = "10.1.0.253" }, { $0.source = "10.1.0.2" },
    ] as [@Sendable (inout ReachabilityStatus) -> Void])
  func `a difference in any part of a status is a change`(
    change: @Sendable (inout ReachabilityStatus) -> Void
  ) {
    let eth0 = ReachabilityInterface(name: "eth0", index: 2, kind: .wired)
    let before = ReachabilityStatus(
      .reachable, flags: .reachable, interface: eth0, gateway: "10.1.0.254", source: "10.1.0.1")
    var after = before
    change(&after)
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.set(Self.target, before)
    #expect(bench.set(Self.target, after) == [told("x", after, before)])
  }

  @Test func `an answer without observers is dropped`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    let questions = bench.machine.questions(after: .all, now: bench.at(0))
    bench.leave("x")
    #expect(questions.targets == [Self.target])
    #expect(bench.machine.accept(Evaluation(a), for: questions.ids[0], now: bench.at(0)).isEmpty)
    #expect(bench.machine.isEmpty)
    #expect(bench.nextDeadline == nil)
  }

  // MARK: Joining and leaving

  @Test func `an entry is removed with its last observer and starts afresh`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.watch("y", Self.target)
    bench.set(Self.target, a)
    bench.leave("x")
    #expect(!bench.machine.isEmpty)
    #expect(bench.set(Self.target, b) == [told("y", b, a)])
    bench.leave("y")
    #expect(bench.machine.isEmpty)
    #expect(bench.run(.all) == [])

    bench.watch("z", Self.target)
    #expect(bench.takeTold() == [])
    #expect(bench.run() == [Self.target])
    #expect(bench.takeTold() == [told("z", b)])
  }

  @Test func `an observer that left before the answer receives no event`() {
    var bench = Bench()
    bench.watch("x", Self.target)
    bench.leave("x")
    #expect(bench.run() == [])
    #expect(bench.machine.isEmpty)
    bench.watch("y", Self.target)
    bench.watch("z", Self.target)
    bench.leave("y")
    #expect(bench.run() == [Self.target])
    #expect(bench.takeTold() == [told("z", .notReachable(.noRoute))])
  }

  @Test func `removing an unknown observer has no effect`() {
    var machine = MonitorStateMachine<Watcher>()
    let watcher = Watcher("x")
    machine.remove(watcher, from: 0)
    let id = machine.add(watcher, for: Bench.Key(target: Self.target, settling: .zero))
    machine.remove(Watcher("x"), from: id)
    machine.remove(watcher, from: id + 1)
    #expect(!machine.isEmpty)
    machine.remove(watcher, from: id)
    machine.remove(watcher, from: id)
    #expect(machine.isEmpty)
  }

  @Test func `a target is queried once for all its observers with equal settings`() {
    var bench = Bench()
    for name in ["x", "y", "z"] { bench.watch(name, Self.target) }
    bench.watch("patient", Self.target, settling: .seconds(1))
    #expect(bench.run() == [Self.target, Self.target])
    #expect(bench.run(.all) == [Self.target, Self.target])
  }

  // MARK: Targets that a change selects

  private static let watched: [ReachabilityTarget] = [
    .address("10.1.0.1"), .address("10.1.255.255"), .address("10.2.0.0"), .address("fd00::1"),
    .address("fd00:1::1"), .defaultRoute, ReachabilityTarget(.address("192.0.2.1"), source: "10.1.0.9"),
    ReachabilityTarget(.address("10.1.0.1"), interface: .name("eth0")),
  ]

  private func selected(_ change: NetworkChange) -> [ReachabilityTarget] {
    var bench = Bench()
    for (position, target) in Self.watched.enumerated() { bench.watch("\(position)", target) }
    bench.run()
    return bench.run(change)
  }

  @Test(
    arguments: [
      (["10.1.0.0/16"], [0, 1, 6, 7]),
      (["10.1.0.1/32"], [0, 7]),
      (["10.1.0.0/32"], []),
      (["10.1.0.9/32"], [6]),
      (["10.0.0.0/8"], [0, 1, 2, 6, 7]),
      (["10.2.0.0/32"], [2]),
      (["192.0.2.0/24"], [6]),
      (["0.0.0.0/0"], [0, 1, 2, 5, 6, 7]),
      (["128.0.0.0/1"], [5, 6]),
      // The candidates of the default route, which distinguish bogons from it.
      (["0.0.0.0/8"], [5]), (["240.0.0.0/4"], [5]), (["192.88.99.0/24"], [5]),
      (["2000::/3"], [5]), (["100::/64"], [5]), (["3000::1/128"], [5]),
      (["fd00::/64"], [3]),
      (["fd00::/16"], [3, 4]),
      (["::/0"], [3, 4, 5]),
      (["::a01:1/128"], []),
      (["10.1.0.1/32", "fd00:1::/64"], [0, 4, 7]),
      (["10.2.0.0/16", "10.0.0.0/8", "10.2.0.0/32"], [0, 1, 2, 6, 7]),
      ([], []),
    ] as [([String], [Int])])
  func `a prefix selects the targets whose route it may change`(prefixes: [String], positions: [Int]) {
    let change = NetworkChange(prefixes: prefixes.map { IPPrefix(literal: $0) })
    #expect(selected(change) == positions.map { Self.watched[$0] })
  }

  @Test(arguments: ["fd00::9/128", "2000::/3", "100::/64", "::/0"])
  func `a default route with a source depends on both`(prefix: String) {
    let target = ReachabilityTarget(.defaultRoute, source: "fd00::9")
    var bench = Bench()
    bench.watch("x", target)
    bench.run()
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: prefix)])) == [target])
  }

  @Test func `a change of everything selects all targets once, in insertion order`() {
    #expect(selected(.all) == Self.watched)
    let both = NetworkChange(everything: true, prefixes: [IPPrefix(literal: "10.1.0.0/16")])
    #expect(selected(both) == Self.watched)
  }

  @Test func `a removed target is not selected`() {
    var bench = Bench()
    for (position, target) in Self.watched.enumerated() { bench.watch("\(position)", target) }
    bench.run()
    for position in [0, 5, 6] { bench.leave("\(position)") }
    let everything = NetworkChange(prefixes: [IPPrefix(literal: "0.0.0.0/0"), IPPrefix(literal: "::/0")])
    #expect(bench.run(everything) == [1, 2, 3, 4, 7].map { Self.watched[$0] })
  }

  @Test func `a target without an answer is queried together with the changed ones`() {
    var bench = Bench()
    bench.watch("x", .address("10.1.0.1"))
    bench.run()
    bench.watch("y", .address("10.2.0.1"))
    #expect(
      bench.run(NetworkChange(prefixes: [IPPrefix(literal: "10.1.0.0/16")])) == [
        .address("10.1.0.1"), .address("10.2.0.1"),
      ])
  }

  @Test func `changes accumulate`() {
    let (one, two) = (IPPrefix(literal: "10.1.0.0/16"), IPPrefix(literal: "fd00::/64"))
    var change = NetworkChange()
    #expect(change.isEmpty)
    change.formUnion(NetworkChange(prefixes: [one]))
    change.formUnion(NetworkChange())
    change.formUnion(NetworkChange(prefixes: [two]))
    #expect(change == NetworkChange(prefixes: [one, two]))
    #expect(!change.isEmpty)
    change.formUnion(.all)
    change.formUnion(NetworkChange(prefixes: [one]))
    #expect(change == .all)
    #expect(!change.isEmpty)
  }
}
