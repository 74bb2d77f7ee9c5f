// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The status of a host, derived from those of its addresses.
@Suite(.deadline) struct HostEvaluationTests {
  private let two = NameAnswer.found("10.9.0.1", "fd00:9::1")
  private static let reachable = ReachabilityStatus(.reachable, flags: .reachable, gateway: "10.1.0.254")
  private static let other = ReachabilityStatus(.reachable, flags: .reachable, gateway: "10.1.0.253")
  private static let waiting = ReachabilityStatus(.notReachable, reason: .noRoute, flags: .connectionRequired)
  private static let unknown = ReachabilityStatus.unknown(.systemError)
  private static let noRoute = ReachabilityStatus.notReachable(.noRoute)
  private static let noCarrier = ReachabilityStatus.notReachable(.noCarrier)

  @Test(
    arguments: [
      ([reachable, noRoute], 0), ([noRoute, reachable], 1), ([noRoute, noCarrier], 0),
      ([noCarrier, noRoute], 0),
      ([reachable, other], 0), ([other, reachable], 0), ([unknown, noRoute], 1), ([noRoute, unknown], 0),
      ([unknown, waiting], 1), ([waiting, reachable], 1), ([unknown, reachable], 1), ([waiting, noRoute], 0),
      ([noRoute, unknown, waiting, other, reachable, other], 3), ([reachable], 0), ([noRoute], 0),
    ] as [([ReachabilityStatus], Int)])
  func `a host has the status of its best address, the earlier of equal ones`(
    statuses: [ReachabilityStatus], best: Int
  ) {
    let addresses = (1...statuses.count).map { NamedAddress(.v4(.init(rawValue: UInt32($0)))) }
    let evaluation = NameAnswer.addresses(addresses).evaluation(of: statuses.map { Evaluation($0) })
    var expected = statuses[best]
    expected.addresses = zip(addresses, statuses).map {
      ReachabilityStatus.ResolvedAddress($0.address, status: $1)
    }
    #expect(evaluation == Evaluation(expected))
  }

  @Test func `a host's lifetime is the shortest one of its addresses`() {
    let lifetimes: [[Duration?]] = [[nil, nil], [.seconds(9), nil], [.seconds(9), .seconds(2)]]
    for (lifetimes, expected) in zip(lifetimes, [nil, .seconds(9), .seconds(2)] as [Duration?]) {
      let evaluations = lifetimes.map { Evaluation(Self.reachable, lifetime: $0) }
      #expect(two.evaluation(of: evaluations).lifetime == expected)
    }
  }

  @Test(arguments: ReachabilityStatus.Reason.allCases)
  func `without addresses the lookup's failure is the reason`(reason: ReachabilityStatus.Reason) {
    let expected: ReachabilityStatus =
      switch reason {
      case .systemError, .namesNotResolved: .unknown(reason)
      default: .notReachable(reason)
      }
    #expect(NameAnswer.failure(reason).evaluation(of: []) == Evaluation(expected))
    #expect(NameAnswer.failure(reason).targets(for: .host("a.test")) == [])
  }

  @Test(arguments: [0, 1, 3]) func `a wrong number of statuses means no address records`(count: Int) {
    let evaluation = two.evaluation(of: Array(repeating: Evaluation(Self.reachable), count: count))
    #expect(evaluation == Evaluation(.notReachable(.noAddressRecords)))
  }

  @Test func `an empty list of addresses means no address records`() {
    #expect(NameAnswer.addresses([]).evaluation(of: []) == Evaluation(.notReachable(.noAddressRecords)))
  }

  // MARK: Targets of a host

  @Test func `each address has the host's constraints`() {
    let host = ReachabilityTarget(
      .host(ReachabilityTarget.HostName(literal: "a.test")), source: "10.1.0.1", interface: .name("eth0"),
      mark: 7)
    #expect(
      two.targets(for: host)
        == (["10.9.0.1", "fd00:9::1"] as [ReachabilityAddress]).map {
          ReachabilityTarget(.address($0), source: "10.1.0.1", interface: .name("eth0"), mark: 7)
        })
    #expect(two.targets(for: .host("a.test")) == [.address("10.9.0.1"), .address("fd00:9::1")])
  }

  @Test func `the resolver's zone is the interface, unless the target has another`() {
    let answer = NameAnswer.addresses([NamedAddress("fe80::1", zone: 3), NamedAddress("fe80::1")])
    #expect(
      answer.targets(for: .host("a.test")) == [.address("fe80::1", zone: .index(3)), .address("fe80::1")])
    let host = ReachabilityTarget(
      .host(ReachabilityTarget.HostName(literal: "a.test")), interface: .name("eth0"))
    #expect(
      answer.targets(for: host)
        == [.address("fe80::1", zone: .name("eth0")), .address("fe80::1", zone: .name("eth0"))])
    let status = answer.evaluation(of: [Evaluation(Self.noRoute), Evaluation(Self.noRoute)]).status
    #expect(status.addresses.map(\.description) == ["fe80::1%3", "fe80::1"])
  }

  @Test func `the unspecified address is evaluated as this machine`() {
    let answer = NameAnswer.found("0.0.0.0", "::", "::ffff:0.0.0.0")
    #expect(
      answer.targets(for: .host("a.test")) == [.address("127.0.0.1"), .address("::1"), .address("127.0.0.1")])
    // The status lists it as it was resolved.
    let status = answer.evaluation(of: Array(repeating: Evaluation(Self.reachable), count: 3)).status
    #expect(status.addresses.map(\.address) == ["0.0.0.0", "::", "::ffff:0.0.0.0"])
  }

  // MARK: Replaced answers

  private static let v4: [ReachabilityAddress] = ["10.9.0.1", "10.9.0.2"]
  private static let v6: [ReachabilityAddress] = ["fd00:9::1", "fd00:9::2"]

  @Test(
    arguments: [
      (v4, [v4[1], v4[0]], true), (v4 + v6, [v4[1], v4[0], v6[1], v6[0]], true), (v4 + v6, v4 + v6, true),
      ([v6[0], v4[0], v6[1]], [v6[1], v4[0], v6[0]], true),
      // A family changes its place.
      (v4 + v6, v6 + v4, false), ([v4[0], v6[0]], [v6[0], v4[0]], false),
      // Other addresses.
      (v4, [v4[0]], false), ([v4[0]], v4, false), (v4, v6, false), (v4, v4 + v6, false),
    ])
  func `rotated addresses are no change, but families that swap places are`(
    old: [ReachabilityAddress], new: [ReachabilityAddress], isKept: Bool
  ) {
    let (before, after) = (
      NameAnswer.addresses(old.map { NamedAddress($0) }), NameAnswer.addresses(new.map { NamedAddress($0) })
    )
    #expect(before.replaced(by: after) == (isKept ? before : after))
  }

  @Test func `an address in another zone is another address`() {
    let (before, after) = (
      NameAnswer.addresses([NamedAddress("fe80::1", zone: 2)]),
      NameAnswer.addresses([NamedAddress("fe80::1", zone: 3)])
    )
    #expect(before.replaced(by: after) == after)
  }

  @Test func `a failure replaces addresses, and the reverse`() {
    let failure = NameAnswer.failure(.nameServerFailed)
    #expect(two.replaced(by: failure) == failure)
    #expect(failure.replaced(by: two) == two)
    #expect(failure.replaced(by: .failure(.nameNotFound)) == .failure(.nameNotFound))
  }
}
