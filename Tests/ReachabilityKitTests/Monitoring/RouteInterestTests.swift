import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// The limit on announcements of unrelated routes that the system is given.
@Suite(.timeLimit(.minutes(1)), .deadline) struct RouteInterestTests {
  private let far = ReachabilityTarget.address("10.9.0.1")
  private let other = ReachabilityTarget.address("2001:db8::1")

  /// Routes that match no observed address.
  private static func strays(_ count: Int) -> NetworkChange {
    NetworkChange(
      prefixes: (0..<UInt32(count)).compactMap {
        IPPrefix(.v4(.init(rawValue: 203 << 24 | $0 << 8)), length: 24)
      })
  }

  private func limits(_ calls: [SourceDouble.Call]) -> [Set<IPAddress>?] {
    calls.compactMap { if case .limitRoutes(let addresses) = $0 { .some(addresses) } else { nil } }
  }

  /// Announces one more unrelated route, after which the system is given the addresses of interest.
  private func expectLimit(of source: SourceDouble, to addresses: Set<IPAddress>) async throws {
    source.announce(Self.strays(1))
    try await source.calls.wait { $0.last == .limitRoutes(addresses) }
  }

  @Test func `a limit is due after as many unrelated routes as there are addresses to list`() {
    var interest = RouteInterest()
    let patience = RouteInterest.patience
    var answers = [
      interest.wantsLimit(patience, 2 * patience, false),
      interest.wantsLimit(patience - 1, 2 * patience, false), interest.wantsLimit(1, 2 * patience, false),
    ]
    #expect(answers == [false, false, true])
    interest.noteLimit(true, [])
    // After that, only a removed address calls for a new limit, and the count starts afresh.
    answers = [
      interest.wantsLimit(patience - 1, 0, true), interest.wantsLimit(1, 0, false),
      interest.wantsLimit(0, 0, true),
    ]
    #expect(answers == [false, false, true])
    interest.noteEnd()
    answers = [interest.wantsLimit(patience - 1, 0, false), interest.wantsLimit(1, 0, false)]
    #expect(answers == [false, true])
  }

  @Test func `many unrelated routes lead to a limit`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"))
    try await events.wait(for: 1)
    source.announce(Self.strays(RouteInterest.patience - 1))
    source.announce(NetworkChange(prefixes: [try #require(IPPrefix("10.9.0.0", length: 16))]))
    try await source.calls.wait { $0.count { if case .evaluate = $0 { true } else { false } } == 2 }
    #expect(limits(source.calls.elements) == [])
    try await expectLimit(of: source, to: ["10.9.0.1", "10.1.0.1"])
    // The system has the addresses, so no further limit is due.
    source.announce(Self.strays(200))
    source.announce()
    try await source.calls.wait { $0.count { if case .evaluate = $0 { true } else { false } } == 3 }
    #expect(limits(source.calls.elements).count == 1)
    token.cancel()
  }

  @Test func `a new target lifts the limit and is queried again`()
    async throws
  {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1"])
    let (otherToken, otherEvents) = monitor.log(other)
    try await otherEvents.wait(for: 1)
    // A route may have been announced, and not delivered, just before the target joined.
    try await source.calls.wait { $0.count { $0 == .evaluate([other]) } == 3 }
    #expect(
      source.calls.elements.suffix(4)
        == [.limitRoutes(nil), .evaluate([other]), .evaluate([other]), .evaluate([other])])
    try await expectLimit(of: source, to: ["10.9.0.1", "2001:db8::1"])
    token.cancel()
    otherToken.cancel()
  }

  @Test func `a removed target leaves the limit at the next unrelated routes`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    let (otherToken, otherEvents) = monitor.log(other)
    try await events.wait(for: 1)
    try await otherEvents.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1", "2001:db8::1"])
    otherToken.cancel()
    try await expectLimit(of: source, to: ["10.9.0.1"])
    #expect(limits(source.calls.elements).count == 2)
    token.cancel()
  }

  @Test func `the path's addresses count too, and lift the limit when they are new`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1"])

    let paths = Log<ReachabilityPath>()
    let observation = monitor.observePath(on: .global()) { paths.append($0) }
    try await paths.wait(for: 1)
    try await source.calls.wait { $0.count { $0 == .path } == 4 }
    #expect(
      source.calls.elements.drop { $0 != .path }.filter { !$0.isOfNames }
        == [.path, .limitRoutes(nil), .path, .path, .path])
    let ways = Set(Evaluator.defaultRouteAddresses)
    try await expectLimit(of: source, to: ways.union(["10.9.0.1"]))

    // Another name server: routes to it were not delivered before.
    let path = ReachabilityPath(
      .unsatisfied, reason: .noRoute, nameServers: [ReachabilityPath.NameServer("10.8.0.53")])
    source.setPath(PathEvaluation(path))
    source.announce(NetworkChange(names: true))
    try await paths.wait { $0.last == path }
    #expect(limits(source.calls.elements).last == .some(nil))
    observation.cancel()
    token.cancel()
  }

  @Test func `a system that cannot limit routes receives one request to do so`() async throws {
    let source = SourceDouble(.number(1))
    source.forbidLimits()
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    for _ in 0..<3 { source.announce(Self.strays(100)) }
    try await source.calls.wait { limits($0).count == 1 }
    let (otherToken, otherEvents) = monitor.log(other)
    try await otherEvents.wait(for: 1)
    source.announce(Self.strays(100))
    source.announce()
    try await source.calls.wait { $0.contains(.evaluate([far, other])) }
    #expect(limits(source.calls.elements).count == 1)
    token.cancel()
    otherToken.cancel()
  }

  @Test func `without observers there is no limit`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1"])
    token.cancel()
    try await source.calls.wait { $0.last == .stop }
    // The source starts afresh, and so delivers all routes.
    let (again, moreEvents) = monitor.log(other)
    try await moreEvents.wait(for: 1)
    #expect(source.calls.elements.suffix(2) == [.start, .evaluate([other])])
    again.cancel()
  }
}

extension SourceDouble.Call {
  fileprivate var isOfNames: Bool { if case .watchNames = self { true } else { false } }
}
