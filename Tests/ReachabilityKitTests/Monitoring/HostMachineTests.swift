// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// Deliveries about hosts: the state machine follows the addresses of a name.
@Suite(.deadline) struct HostMachineTests {
  private static let name = ReachabilityTarget.HostName(literal: "a.test")
  private let host = ReachabilityTarget.host(name)
  private let resolving = ReachabilityStatus.unknown(.resolving)

  /// A status with the statuses of the addresses.
  private func best(_ status: ReachabilityStatus, _ addresses: (ReachabilityAddress, ReachabilityStatus)...)
    -> ReachabilityStatus
  {
    var status = status
    status.addresses = addresses.map { ReachabilityStatus.ResolvedAddress($0.0, status: $0.1) }
    return status
  }

  private func told(
    _ name: String, _ target: ReachabilityTarget, _ status: ReachabilityStatus,
    _ previous: ReachabilityStatus?
  ) -> Bench.Told {
    Bench.Told(name: name, target: target, status: status, previous: previous)
  }

  /// A bench with an observer of the host, whose two addresses are reachable.
  private func resolved(settling: Duration = .zero) -> Bench {
    var bench = Bench()
    bench.world = [
      .address("10.9.0.1"): Evaluation(.number(1)), .address("fd00:9::1"): Evaluation(.number(2)),
    ]
    bench.watch("x", host, settling: settling)
    bench.run()
    bench.machine.resolve(Self.name, to: .found("10.9.0.1", "fd00:9::1"))
    bench.run()
    return bench
  }

  @Test func `a host is unknown until resolved, then has its addresses' status`() {
    var bench = resolved()
    let known = best(.number(1), ("10.9.0.1", .number(1)), ("fd00:9::1", .number(2)))
    #expect(bench.takeTold() == [told("x", host, resolving, nil), told("x", host, known, resolving)])
    #expect(bench.run(at: 1000) == [])
  }

  @Test func `addresses are dropped when replaced and with the host's last observer`() {
    var bench = resolved()
    #expect(bench.machine.addresses.count == 2)
    bench.machine.resolve(Self.name, to: .found("10.9.0.2"))
    #expect(bench.machine.addresses.count == 1)
    bench.leave("x")
    #expect(bench.machine.addresses.count == 0)
  }

  @Test func `an observer with other constraints receives what is known of the host`() {
    var bench = resolved()
    _ = bench.takeTold()
    let marked = ReachabilityTarget(.host(Self.name), mark: 7)
    bench.world[ReachabilityTarget(.address("10.9.0.1"), mark: 7)] = Evaluation(.number(3))
    bench.watch("y", marked)
    bench.watch("z", host, settling: .seconds(5))
    bench.run()
    let one = best(.number(3), ("10.9.0.1", .number(3)), ("fd00:9::1", .notReachable(.noRoute)))
    let other = best(.number(1), ("10.9.0.1", .number(1)), ("fd00:9::1", .number(2)))
    #expect(bench.takeTold() == [told("y", marked, one, nil), told("z", host, other, nil)])
    // Routes to the host's addresses affect the new entry as well.
    #expect(
      bench.run(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")])) == [host, marked, host])
  }

  @Test func `an answer applies to all observers of the host, with their own constraints`() {
    var bench = Bench()
    let marked = ReachabilityTarget(.host(Self.name), mark: 7)
    bench.world = [
      .address("10.9.0.1"): Evaluation(.number(1)),
      ReachabilityTarget(.address("10.9.0.1"), mark: 7): Evaluation(.number(3)),
    ]
    bench.watch("x", host)
    bench.watch("y", marked)
    bench.watch("other", .host("b.test"))
    bench.run()
    _ = bench.takeTold()
    bench.machine.resolve(Self.name, to: .found("10.9.0.1"))
    #expect(bench.run() == [host, marked])
    #expect(
      bench.takeTold() == [
        told("x", host, best(.number(1), ("10.9.0.1", .number(1))), resolving),
        told("y", marked, best(.number(3), ("10.9.0.1", .number(3))), resolving),
      ])
  }

  @Test(arguments: ["10.9.0.0/16", "10.9.0.1/32", "0.0.0.0/0", "fd00:9::/64", "::/0"])
  func `a route to one of its addresses affects a host`(prefix: String) {
    var bench = resolved()
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: prefix)])) == [host])
    #expect(bench.run(NetworkChange(imminent: [IPPrefix(literal: prefix)])) == [host])
  }

  @Test(arguments: ["10.8.0.0/16", "10.9.0.2/32", "fd00:8::/64"])
  func `a route to none of its addresses does not affect a host`(prefix: String) {
    var bench = resolved()
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: prefix)])) == [])
  }

  @Test func `only the present addresses count`() {
    var bench = resolved()
    bench.machine.resolve(Self.name, to: .found("10.8.0.1", "fd00:9::1"))
    #expect(bench.run() == [host])
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")])) == [])
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: "10.8.0.0/16")])) == [host])
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: "fd00:9::/64")])) == [host])
    bench.machine.resolve(Self.name, to: .failure(.nameNotFound))
    #expect(bench.run() == [host])
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: "::/0")])) == [])
  }

  @Test func `a change of an address that is not the best one is delivered`() {
    var bench = resolved()
    _ = bench.takeTold()
    let before = best(.number(1), ("10.9.0.1", .number(1)), ("fd00:9::1", .number(2)))
    bench.world[.address("fd00:9::1")] = Evaluation(.notReachable(.noCarrier))
    bench.run(NetworkChange(prefixes: [IPPrefix(literal: "fd00:9::/64")]))
    let after = best(.number(1), ("10.9.0.1", .number(1)), ("fd00:9::1", .notReachable(.noCarrier)))
    #expect(bench.takeTold() == [told("x", host, after, before)])
  }

  @Test func `the first known status is delivered immediately, later ones settle first`() {
    var bench = resolved(settling: .seconds(5))
    let known = best(.number(1), ("10.9.0.1", .number(1)), ("fd00:9::1", .number(2)))
    #expect(bench.takeTold() == [told("x", host, resolving, nil), told("x", host, known, resolving)])
    bench.machine.resolve(Self.name, to: .failure(.nameNotFound))
    bench.run(at: 1)
    #expect(bench.takeTold() == [])
    #expect(bench.nextDeadline == 6)
    bench.run(at: 6)
    #expect(bench.takeTold() == [told("x", host, .notReachable(.nameNotFound), known)])
  }

  @Test func `a host's lifetime ends with the earliest of its addresses' lifetimes`() {
    var bench = resolved()
    bench.world[.address("fd00:9::1")] = Evaluation(.number(2), lifetime: .seconds(3))
    bench.run(.all)
    #expect(bench.nextDeadline == 3)
    #expect(bench.run(at: 3) == [host])
  }

  @Test func `a name is watched from its first observer to its last`() {
    var bench = Bench()
    let marked = ReachabilityTarget(.host(Self.name), mark: 7)
    bench.watch("x", host)
    bench.watch("y", marked)
    bench.watch("z", .address("10.9.0.1"))
    #expect(bench.machine.dequeueNameChanges() == [.added(Self.name)])
    #expect(bench.machine.dequeueNameChanges() == [])
    bench.leave("x")
    #expect(bench.machine.dequeueNameChanges() == [])
    bench.leave("y")
    bench.watch("x", host)
    #expect(bench.machine.dequeueNameChanges() == [.removed(Self.name), .added(Self.name)])
  }

  @Test func `no state is left of a host without observers`() {
    var bench = resolved()
    bench.leave("x")
    #expect(bench.machine.isEmpty)
    #expect(bench.run(NetworkChange(prefixes: [IPPrefix(literal: "10.9.0.0/16")])) == [])
    bench.machine.resolve(Self.name, to: .found("10.9.0.1"))
    #expect(bench.run(.all) == [])
    // A returning observer waits for a new answer.
    _ = bench.takeTold()
    bench.watch("x", host)
    bench.run()
    #expect(bench.takeTold() == [told("x", host, resolving, nil)])
  }
}
