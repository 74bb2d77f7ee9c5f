import DeadlineSupport
import InternetProtocol
import Testing

@testable import ReachabilityKit

/// When the system is asked to keep routes to itself that concern nobody.
@Suite(.timeLimit(.minutes(1)), .deadline) struct RouteInterestTests {
  private let far = ReachabilityTarget.address("10.9.0.1")
  private let other = ReachabilityTarget.address("2001:db8::1")

  /// Routes that concern nobody here.
  private static func strays(_ count: Int) -> NetworkChange {
    NetworkChange(
      prefixes: (0..<UInt32(count)).compactMap {
        IPPrefix(.v4(.init(rawValue: 203 << 24 | $0 << 8)), length: 24)
      })
  }

  private func limits(_ calls: [SourceDouble.Call]) -> [Set<IPAddress>?] {
    calls.compactMap { if case .limitRoutes(let addresses) = $0 { .some(addresses) } else { nil } }
  }

  /// Announces one more route that concerns nobody, after which the system is told which addresses matter.
  private func expectLimit(of source: SourceDouble, to addresses: Set<IPAddress>) async throws {
    source.announce(Self.strays(1))
    try await source.calls.wait { $0.last == .limitRoutes(addresses) }
  }

  @Test func `so many routes are enough as there are addresses to tell, until they were told`() {
    var interest = RouteInterest()
    let patience = RouteInterest.patience
    var answers = [
      interest.wantsLimit(patience, 2 * patience, false),
      interest.wantsLimit(patience - 1, 2 * patience, false), interest.wantsLimit(1, 2 * patience, false),
    ]
    #expect(answers == [false, false, true])
    interest.noteLimit(true, [])
    // Then only what is of no interest any more is worth it, and it is counted anew.
    answers = [
      interest.wantsLimit(patience - 1, 0, true), interest.wantsLimit(1, 0, false),
      interest.wantsLimit(0, 0, true),
    ]
    #expect(answers == [false, false, true])
    interest.noteEnd()
    answers = [interest.wantsLimit(patience - 1, 0, false), interest.wantsLimit(1, 0, false)]
    #expect(answers == [false, true])
  }

  @Test func `many routes that concern nobody are enough`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source)
    let (token, events) = monitor.log(ReachabilityTarget(.address("10.9.0.1"), source: "10.1.0.1"))
    try await events.wait(for: 1)
    source.announce(Self.strays(RouteInterest.patience - 1))
    source.announce(NetworkChange(prefixes: [try #require(IPPrefix("10.9.0.0", length: 16))]))
    try await source.calls.wait { $0.count { if case .evaluate = $0 { true } else { false } } == 2 }
    #expect(limits(source.calls.elements) == [])
    try await expectLimit(of: source, to: ["10.9.0.1", "10.1.0.1"])
    // The system has been told, so there is nothing more to tell.
    source.announce(Self.strays(200))
    source.announce()
    try await source.calls.wait { $0.count { if case .evaluate = $0 { true } else { false } } == 3 }
    #expect(limits(source.calls.elements).count == 1)
    token.cancel()
  }

  @Test func `all routes are heard of before a new target is asked about, which is asked about again`()
    async throws
  {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1"])
    let (otherToken, otherEvents) = monitor.log(other)
    try await otherEvents.wait(for: 1)
    // A route may have been announced, and kept back, the moment before it was there.
    try await source.calls.wait { $0.count { $0 == .evaluate([other]) } == 3 }
    #expect(
      source.calls.elements.suffix(4)
        == [.limitRoutes(nil), .evaluate([other]), .evaluate([other]), .evaluate([other])])
    try await expectLimit(of: source, to: ["10.9.0.1", "2001:db8::1"])
    token.cancel()
    otherToken.cancel()
  }

  @Test func `who goes is forgotten when the next routes come that concern nobody`() async throws {
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

  @Test func `the path has addresses too, and is worked out anew when these were not heard of`() async throws
  {
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

    // Another name server: of routes to it nothing was heard.
    let path = ReachabilityPath(
      .unsatisfied, reason: .noRoute, nameServers: [ReachabilityPath.NameServer("10.8.0.53")])
    source.setPath(PathEvaluation(path))
    source.announce(NetworkChange(names: true))
    try await paths.wait { $0.last == path }
    #expect(limits(source.calls.elements).last == .some(nil))
    observation.cancel()
    token.cancel()
  }

  @Test func `a system that tells of all routes is asked once`() async throws {
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

  @Test func `who watches nothing limits nothing`() async throws {
    let source = SourceDouble(.number(1))
    let monitor = ReachabilityMonitor(source: source, strayLimit: 1)
    let (token, events) = monitor.log(far)
    try await events.wait(for: 1)
    try await expectLimit(of: source, to: ["10.9.0.1"])
    token.cancel()
    try await source.calls.wait { $0.last == .stop }
    // Begun anew, and so all is heard of.
    let (again, moreEvents) = monitor.log(other)
    try await moreEvents.wait(for: 1)
    #expect(source.calls.elements.suffix(2) == [.start, .evaluate([other])])
    again.cancel()
  }
}

extension SourceDouble.Call {
  fileprivate var isOfNames: Bool { if case .watchNames = self { true } else { false } }
}
