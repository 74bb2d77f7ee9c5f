#if os(Linux)
import DeadlineSupport
import InternetProtocol
import POSIX
import Testing
@testable import Netlink
@testable import ReachabilityKit

/// What a tracker answers when messages are lost at the worst moments, and when nothing can be read.
@Suite(.deadline) struct NetworkTrackerFaultTests {
  private static let near = ReachabilityTarget.address("10.1.0.2")

  /// A network of which ``near`` is reached over `eth0`.
  private func network() -> ScriptedNetwork {
    let network = ScriptedNetwork.withOneLink()
    network.setRoute(to: "10.1.0.2", Self.route)
    return network
  }

  private static let route: Result<RouteMessage, Errno> = {
    var route = RouteMessage.to("10.1.0.2", 32)
    route.outputInterface = 2
    route.preferredSource = "10.1.0.1"
    return .success(route)
  }()

  private static let reachable = ReachabilityStatus(
    .reachable, flags: [.reachable, .isDirect], interface: LinkState.ethernet(2, "eth0").interface,
    source: "10.1.0.1")
  private static let lost = ReachabilityStatus.notReachable(
    .noCarrier, over: LinkState.ethernet(2, "eth0", .noCarrier).interface)
  private static let cut = RouteEvent.link(.ethernet(2, "eth0", isUp: false))

  /// What is watched: alone it takes one look-up by the socket that hears, with others the socket that asks.
  private static let watched = [[near], [near, .address("10.1.0.3")], [near, .defaultRoute]]

  // MARK: Losses

  @Test(
    arguments: [[.loss([cut])], [.none, .loss([cut])], [.loss([cut]), .loss([])]]
      as [[ScriptedNetwork.Trouble]])
  func `what is lost between subscribing and the end of the first reading is known at the first answer`(
    _ troubles: [ScriptedNetwork.Trouble]
  ) throws {
    let network = network()
    for trouble in troubles { network.arrange(trouble) }
    var tracker = try network.tracker()
    #expect(tracker.evaluate(Self.near).status == Self.lost)
    #expect(network.listings > 1)
  }

  @Test(arguments: watched)
  func `what is lost while the tables are read again is known to who asks then`(
    _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.announce(.overrun)
    network.arrange(.none, .loss([Self.cut]))
    #expect(tracker.takeChange() == .all)
    #expect(tracker.evaluate(watched: targets)[0].status == Self.lost)
  }

  @Test(arguments: watched)
  func `what is lost while watched targets are asked about is an occasion to ask again`(
    _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.changeSilently(Self.cut)
    network.announce(.overrun)
    // The one answer comes with the loss, the others may come without a word of it.
    if targets.count == 1 {
      #expect(tracker.evaluate(watched: targets)[0].status == Self.lost)
      #expect(tracker.hasNews == true)
    } else {
      _ = tracker.evaluate(watched: targets)
    }
    #expect(tracker.takeChange() == .all)
    #expect(tracker.evaluate(watched: targets)[0].status == Self.lost)
  }

  // MARK: Failures

  /// Ways to fail to hear, or to read the tables once a message was lost, and how often in a row they fail then.
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
  func `while the tables can't be trusted watched targets are unknown, for a moment`(
    _ index: Int, _ targets: [ReachabilityTarget]
  ) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    #expect(tracker.evaluate(watched: targets)[0].status == Self.reachable)
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.takeChange() == .all)
    Self.failures[index](network)
    let unknown = Evaluation(.unknown(.systemError), lifetime: NetworkTracker.retryInterval)
    #expect(tracker.evaluate(watched: targets) == Array(repeating: unknown, count: targets.count))
    #expect(tracker.failure != nil)
    #expect(tracker.takeChange() == .all)
    #expect(tracker.failure == nil)
    #expect(tracker.evaluate(watched: targets)[0].status == Self.lost)
  }

  @Test func `who follows nothing any more has no failure to try again for`() throws {
    let network = network()
    var tracker = try network.watchingTracker()
    Self.failures[0](network)
    _ = tracker.takeChange()
    #expect(tracker.failure != nil)
    tracker.stop()
    #expect(tracker.failure == nil)
  }

  @Test(arguments: failures.indices)
  func `while the tables can't be trusted an answer is unknown, and so is the path`(_ index: Int) throws {
    let network = network()
    var tracker = try network.tracker()
    #expect(tracker.evaluate(Self.near).status == Self.reachable)
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.evaluate(Self.near) == Evaluation(.unknown(.systemError)))
    Self.failures[index](network)
    #expect(tracker.evaluate(.defaultRoute) == Evaluation(.unknown(.systemError)))
    Self.failures[index](network)
    #expect(tracker.evaluatePath([], nil) == .unknown(for: nil))
    #expect(tracker.evaluate(Self.near).status == Self.lost)
  }

  @Test(arguments: failures.indices)
  func `while the tables can't be trusted a watched path is unknown, for a moment`(_ index: Int) throws {
    let network = network()
    var tracker = try network.watchingTracker()
    network.changeSilently(Self.cut)
    Self.failures[index](network)
    #expect(tracker.takeChange() == .all)
    Self.failures[index](network)
    #expect(tracker.evaluateWatchedPath([], nil) == .unknown(for: NetworkTracker.retryInterval))
    #expect(tracker.evaluateWatchedPath([], nil).path.status == .unsatisfied)
  }
}
#endif
