// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import NetlinkSupport
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// Partly unreadable tables, and tables that change during each reading.
@Suite(.deadline) struct NetworkTrackerDamageTests {
  private static let near = ReachabilityTarget.address("10.1.0.2")

  /// A network with a route to 10.1.0.2 over the link with an index.
  private func network(over index: Int32 = 2) -> ScriptedNetwork {
    let network = ScriptedNetwork.withOneLink()
    var route = RouteMessage.to("10.1.0.2", 32)
    route.interface = index
    route.preferredSource = "10.1.0.1"
    network.setRoute(to: "10.1.0.2", .success(route))
    return network
  }

  private static let reachable = ReachabilityStatus(
    .reachable, flags: [.reachable, .isDirect], interface: LinkState.ethernet(2, "eth0").interface,
    source: "10.1.0.1")

  /// An entry about a link, with an attribute that is longer than the entry.
  private func unreadable(_ family: AddressFamily, on index: UInt8 = 0, header: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: header) + [200, 0, 1, 0]
    bytes[0] = family.rawValue
    bytes[4] = index
    return bytes
  }

  // MARK: Entries

  @Test func `readable entries are kept, unreadable ones are counted`() throws {
    let network = network()
    network.add(.newLink, unreadable(.unspecified, on: 3, header: 16))
    network.add(.newAddress, unreadable(.ipv4, on: 2, header: 8), unreadable(.ipv6, on: 2, header: 8))
    network.add(.newRule, unreadable(.ipv4, header: 12))
    var tracker = try network.tracker()
    #expect(tracker.networkState.links == NetworkState.ofOneLink.links)
    #expect(tracker.networkState.addresses == NetworkState.ofOneLink.addresses)
    // The rule is in the lists of both families.
    #expect(tracker.diagnostics == .init(unreadableMessages: 5, tableReads: 1))
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    #expect(network.listings == 1)
  }

  @Test func `a route over an unreadable link is unknown, without a new reading`() throws {
    let network = network(over: 3)
    network.add(.newLink, unreadable(.unspecified, on: 3, header: 16))
    var tracker = try network.watchingTracker()
    let unknown = Evaluation(.unknown(.systemError), lifetime: NetworkTracker.retryInterval)
    for _ in 0..<3 {
      #expect(tracker.evaluate(Self.near).status == unknown.status)
      #expect(tracker.evaluateObserved([Self.near]) == [unknown])
      // Otherwise it would be evaluated without end.
      #expect(tracker.hasPendingChange == false)
    }
    #expect(network.listings == 1)
  }

  @Test func `an unreadable link does not hide another missing one`() throws {
    let network = network(over: 4)
    network.add(.newLink, unreadable(.unspecified, on: 3, header: 16))
    var tracker = try network.tracker()
    network.changeSilently(.link(.ethernet(4, "eth4")))
    #expect(tracker.evaluate(Self.near).status.interface?.name == "eth4")
    #expect(network.listings == 2)
  }

  @Test func `with an unreadable address the kernel decides about sources`() throws {
    let network = network()
    let (target, source): (ReachabilityAddress, ReachabilityAddress) = ("2001:db8::1", "fd00::7")
    var route = RouteMessage.to(target, 128, .ipv6)
    route.interface = 2
    route.preferredSource = source
    network.setRoute(to: target, .success(route))
    var local = RouteMessage.to(source, 128, .ipv6)
    local.kind = .local
    local.interface = 2
    network.setRoute(to: source, .success(local))
    let question = ReachabilityTarget(.address(target), source: source)
    var tracker = try network.tracker()
    #expect(tracker.evaluate(question).status == .notReachable(.sourceAddressMissing))
    network.add(.newAddress, unreadable(.ipv6, on: 2, header: 8))
    tracker.refresh()
    #expect(tracker.evaluate(question).status.isReachable)
    network.setRoute(to: source, .failure(.networkUnreachable))
    #expect(tracker.evaluate(question).status == .notReachable(.sourceAddressMissing))
  }

  @Test func `an unreadable rule may match any source`() throws {
    let network = network()
    network.add(.newRule, unreadable(.ipv4, header: 12))
    var tracker = try network.tracker()
    let before = network.steps.count
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    // The second lookup has the source of the first answer.
    #expect(Array(network.steps.dropFirst(before)) == [.asked(.getRoute), .asked(.getRoute)])
  }

  @Test func `an unreadable announcement causes a new reading, others still count`() throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.changeSilently(.link(.ethernet(5, "eth5")))
    let message = RouteEvent.link(.ethernet(6, "eth6")).message
    let bad = oneMessage(.newLink, unreadable(.unspecified, on: 7, header: 16))
    network.announce(.bytes(bad + message, port: 0))
    network.changeSilently(.link(.ethernet(6, "eth6")))
    #expect(tracker.readChange() == .all)
    #expect(tracker.networkState.links.keys.sorted() == [2, 5, 6])
    #expect(tracker.diagnostics == .init(unreadableMessages: 1, tableReads: 2))
  }

  private func oneMessage(_ type: MessageType, _ payload: [UInt8]) -> [UInt8] {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: [], sequence: 0)
    encoder.append(payload)
    encoder.endMessage()
    return encoder.bytes
  }

  // MARK: Changes during each reading

  @Test(arguments: [0, 1])
  func `tables that change during each reading are kept and read again`(
    before: Int
  ) throws {
    let network = network()
    for _ in 0..<before { network.arrange(.none) }
    network.arrange(.interruption, .interruption, .interruption)
    var tracker = try network.tracker()
    #expect(tracker.tables.state == .unsettled)
    #expect(tracker.networkState == .ofOneLink)
    #expect(tracker.tables.failure == nil)
    // No announcement reveals an entry that the list lacked.
    network.changeSilently(.link(.ethernet(3, "eth3")))
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    #expect(tracker.tables.state == .current)
    #expect(tracker.networkState.links.keys.sorted() == [2, 3])
    let listings = network.listings
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    #expect(network.listings == listings)
  }

  @Test(arguments: [true, false])
  func `routes that change during each reading are not blamed`(_ isChanging: Bool) throws {
    let network = network()
    var rule = Rule(32766, .lookUp(254))
    rule.family = .ipv4
    network.changeSilently(.rule(rule))
    network.setRoute(to: "10.1.0.2", .failure(Errno(rawValue: 22)))
    var route = RouteMessage.to("10.1.0.0", 24)
    (route.kind, route.table) = (.blackhole, 254)
    network.setListedRoutes(route)
    var tracker = try network.tracker()
    if isChanging { network.arrange(.interruption, .interruption, .interruption) }
    let facts = tracker.facts(about: [Self.near], nil)
    let step = Explainer(facts).explain(Self.near).firstFailure
    #expect(step?.kind == .route)
    #expect(step?.fact.hasPrefix("blackhole 10.1.0.0/24") == !isChanging, "\(step as Any)")
  }

  @Test func `while tables keep changing, each evaluation reads them at most once more`() throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.announce(.overrun)
    network.arrange(.interruption, .interruption, .interruption, .none)
    #expect(tracker.readChange() == .all)
    for _ in 0..<4 {
      network.arrange(.interruption, .interruption, .interruption, .none)
      let listings = network.listings
      #expect(tracker.evaluateObserved([Self.near, .address("10.1.0.3")])[0].status == Self.reachable)
      #expect(network.listings - listings <= 3)
    }
    // Each reading is news, so the tables are read until they are settled.
    #expect(tracker.hasPendingChange == true)
    #expect(tracker.readChange() == .all)
    #expect(tracker.tables.state == .current)
    #expect(tracker.readChange() == NetworkChange())
  }
}
#endif
