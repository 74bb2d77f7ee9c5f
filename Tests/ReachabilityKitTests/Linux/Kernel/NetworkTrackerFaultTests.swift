// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// The answers of a tracker after losses at the worst moments, and while reading fails.
@Suite(.deadline) struct NetworkTrackerFaultTests {
  private static let near = ReachabilityTarget.address("10.1.0.2")

  /// A network with a route to ``near`` over `eth0`.
  private func network() -> ScriptedNetwork {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.1.0.2", Self.route)
    return network
  }

  private static let route: Result<RouteMessage, Errno> = {
    var route = RouteMessage.to("10.1.0.2", 32)
    route.interface = 2
    route.preferredSource = "10.1.0.1"
    return .success(route)
  }()

  private static let reachable = ReachabilityStatus(
    .reachable, flags: [.reachable, .isDirect], interface: LinkState.ethernet(2, "eth0").interface,
    source: "10.1.0.1")
  private static let lost = ReachabilityStatus.notReachable(
    .noCarrier, over: LinkState.ethernet(2, "eth0", .noCarrier).interface)
  private static let cut = RouteEvent.link(.ethernet(2, "eth0", isUp: false))

  /// Watched targets: one alone takes one lookup on the announcement socket, several take batches on the other.
  private static let watched = [[near], [near, .address("10.1.0.3")], [near, .defaultRoute]]

  // MARK: Losses

  @Test(
    arguments: [[.loss([cut])], [.none, .loss([cut])], [.loss([cut]), .loss([])]]
      as [[ScriptedNetwork.Trouble]])
  func `a loss during the first reading is repaired before the first answer`(
    _ troubles: [ScriptedNetwork.Trouble]
  ) throws {
    let network = network()
    for trouble in troubles { network.arrange(trouble) }
    var tracker = try network.tracker()
    #expect(tracker.evaluate(Self.near).status == Self.lost)
    #expect(network.listings > 1)
  }

  @Test(arguments: watched)
  func `a loss during a new reading is repaired before the next answer`(
    _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.announce(.overrun)
    network.arrange(.none, .loss([Self.cut]))
    #expect(tracker.readChange() == .all)
    #expect(tracker.evaluateObserved(targets)[0].status == Self.lost)
  }

  @Test(arguments: watched)
  func `a loss during a watched evaluation causes another evaluation`(
    _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.changeSilently(Self.cut)
    network.announce(.overrun)
    // A single answer arrives with the loss, those of a batch may arrive without it.
    if targets.count == 1 {
      #expect(tracker.evaluateObserved(targets)[0].status == Self.lost)
      #expect(tracker.hasPendingChange == true)
    } else {
      _ = tracker.evaluateObserved(targets)
    }
    #expect(tracker.readChange() == .all)
    #expect(tracker.evaluateObserved(targets)[0].status == Self.lost)
  }

  @Test func `what was announced before a lookup that fails is applied`() throws {
    let network = network()
    var tracker = try network.watchingTracker()
    #expect(tracker.evaluateObserved(Self.near).status == Self.reachable)
    network.change(Self.cut)
    network.announce(.failure(.noDevice))
    #expect(throws: NetlinkError.self) { try tracker.query(RouteRequest("10.1.0.2")) }
    #expect(tracker.networkState.links[2]?.condition == .noCarrier)
  }

  // MARK: Failures

  /// Ways in which receiving, or reading the tables after a loss, may fail.
  private static let failures: [@Sendable (ScriptedNetwork) -> Void] = [
    {
      $0.announce(.overrun); $0.arrange(.refusal(.accessDenied))
    },
    {
      $0.announce(.overrun); $0.arrange(.none, .silence)
    },
    { $0.announce(.failure(.noDevice)) },
    { $0.announce(.failure(Errno(rawValue: 12))) },
  ]

  @Test(arguments: failures.indices, watched)
  func `while reading fails, watched targets are unknown for a moment`(
    _ index: Int, _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    #expect(tracker.evaluateObserved(targets)[0].status == Self.reachable)
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.readChange() == .all)
    Self.failures[index](network)
    let unknown = Evaluation(.unknown(.systemError), lifetime: NetworkTracker.retryInterval)
    #expect(tracker.evaluateObserved(targets) == Array(repeating: unknown, count: targets.count))
    #expect(tracker.tables.failure != nil)
    #expect(tracker.readChange() == .all)
    #expect(tracker.tables.failure == nil)
    #expect(tracker.evaluateObserved(targets)[0].status == Self.lost)
  }

  @Test func `a stopped tracker has no failure`() throws {
    let network = network()
    var tracker = try network.watchingTracker()
    Self.failures[0](network)
    _ = tracker.readChange()
    #expect(tracker.tables.failure != nil)
    tracker.stop()
    #expect(tracker.tables.failure == nil)
  }

  @Test(arguments: failures.indices)
  func `while reading fails, statuses and the path are unknown`(_ index: Int) throws {
    let network = network()
    var tracker = try network.tracker()
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.evaluate(Self.near) == Evaluation(.unknown(.systemError)))
    Self.failures[index](network)
    #expect(tracker.evaluate(.defaultRoute) == Evaluation(.unknown(.systemError)))
    Self.failures[index](network)
    #expect(tracker.evaluatePath([]) == .unknown(for: nil))
    #expect(tracker.evaluate(Self.near).status == Self.lost)
  }

  @Test(arguments: failures.indices)
  func `while reading fails, the watched path is unknown for a moment`(_ index: Int) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.readChange() == .all)
    Self.failures[index](network)
    #expect(tracker.evaluateObservedPath([]) == .unknown(for: NetworkTracker.retryInterval))
    #expect(tracker.evaluateObservedPath([]).path.status == .unsatisfied)
  }
}
#endif
