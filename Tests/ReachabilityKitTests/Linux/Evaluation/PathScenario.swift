// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink
@testable import ReachabilityKit

/// Link tables, and a kernel with a few routes that answers as the real one was measured to.
struct PathScenario {
  /// A route, or several of the same prefix and metric.
  struct Route {
    var prefix: IPPrefix
    var hops: [NextHop]
    var metric: UInt32
    var refusal: RouteRefusal?
    var lifetime: Duration?
    var kind = RouteKind.unicast
  }

  var scenario: Scenario
  var routes: [Route] = []
  var nameServers: [ReachabilityPath.NameServer] = []
  var metering: [Int: Bool] = [:]
  /// Links that are in the tables, but no longer in the kernel.
  var vanished: Set<Int32> = []
  var sources: [Int32: [ReachabilityAddress]] = [:]

  init(_ links: [(LinkState, addresses: [String])], isWatching: Bool = false) {
    scenario = Scenario(links, isWatching: isWatching)
    for (link, addresses) in links {
      sources[link.index] = addresses.compactMap { ReachabilityAddress($0.prefix { $0 != "/" }) }
    }
  }

  /// Adds a route by one interface.
  mutating func route(
    _ prefix: String = "0.0.0.0/0", over interface: Int32, via gateway: ReachabilityAddress? = nil,
    metric: UInt32 = 0,
    isDown: Bool = false, lifetime: Duration? = nil
  ) {
    let hop = NextHop(interface: interface, gateway: gateway, isDown: isDown)
    multipath(prefix, [hop], metric: metric, lifetime: lifetime)
  }

  /// Adds a route by several interfaces.
  mutating func multipath(
    _ prefix: String, _ hops: [NextHop], metric: UInt32 = 0, lifetime: Duration? = nil
  ) {
    routes.append(
      Route(prefix: IPPrefix(literal: prefix), hops: hops, metric: metric, lifetime: lifetime))
  }

  /// Adds a route that refuses.
  mutating func refuse(_ prefix: String, _ refusal: RouteRefusal, metric: UInt32 = 0) {
    routes.append(Route(prefix: IPPrefix(literal: prefix), hops: [], metric: metric, refusal: refusal))
  }

  /// Assigns addresses to this machine.
  mutating func local(_ prefix: String, over interface: Int32) {
    route(prefix, over: interface)
    routes[routes.count - 1].kind = .local
  }

  func answer(_ question: RouteRequest) -> RouteAnswer {
    let isIPv4 = question.destination.bitWidth == 32
    if let index = question.interface, vanished.contains(index) { return .failure(.noDevice) }
    if let index = question.interface, scenario.network.links[index]?.condition == .down {
      return .failure(.networkUnreachable)
    }
    let matching = routes.filter { route in
      guard route.prefix.contains(question.destination) else { return false }
      guard let index = question.interface else { return true }
      return route.hops.contains { $0.interface == index }
    }
    let best = matching.min {
      ($1.prefix.length, $0.metric) < ($0.prefix.length, $1.metric)
    }
    guard let best else {
      guard isIPv4, let index = question.interface else { return .failure(.networkUnreachable) }
      // The invented route on the link.
      return question.form == .entry
        ? .failure(.hostUnreachable)
        : .success(RouteMessage(interface: index, source: source(index, isIPv4), table: 0, prefixLength: 32))
    }
    if let refusal = best.refusal { return .failure(refusal) }
    let hop = best.hops.first { $0.interface == question.interface } ?? best.hops[0]
    guard question.form == .entry else {
      return .success(
        RouteMessage(
          best.kind, interface: hop.interface, gateway: hop.gateway, source: source(hop.interface, isIPv4),
          prefixLength: isIPv4 ? 32 : 128))
    }
    let isMultipath = best.hops.count > 1
    return .success(
      RouteMessage(
        best.kind, interface: isMultipath ? nil : hop.interface, gateway: isMultipath ? nil : hop.gateway,
        prefixLength: best.prefix.length, metric: best.metric, isDown: !isMultipath && !hop.flags.isEmpty,
        nextHops: isMultipath ? best.hops : [], lifetime: best.lifetime))
  }

  private func source(_ index: Int32, _ isIPv4: Bool) -> ReachabilityAddress? {
    let addresses = sources[index]?.filter { $0.bitWidth == (isIPv4 ? 32 : 128) }
    return addresses?.first { !$0.needsZone } ?? addresses?.first
  }

  /// An evaluation and the number of its queries.
  func run() throws -> (evaluation: PathEvaluation, asked: [RouteRequest]) {
    let evaluator = PathEvaluator(
      network: scenario.network, isWatching: scenario.isWatching, nameServers: nameServers)
    var known = PathAnswers()
    var asked: [RouteRequest] = []
    for _ in 0..<8 {
      switch evaluator.evaluate(known) {
      case .known(var evaluation):
        evaluation.addMetering { indexes in metering.filter { indexes.contains($0.key) } }
        return (evaluation, asked)
      case .unknownLink(let index): throw Scenario.Trouble.unknownLink(index)
      case .ask(let questions):
        for question in questions { known[question] = answer(question) }
        asked += questions
      }
    }
    throw Scenario.Trouble.endless(asked)
  }

  func path(_ requirements: ReachabilityPath.Requirements = .none) throws -> ReachabilityPath {
    try run().evaluation.path(for: requirements)
  }
}

extension ReachabilityPath.Address {
  /// Reads `10.1.0.1/24`; a malformed literal is a programmer's mistake and traps.
  init(_ text: String) {
    let assigned = AddressMessage(text)
    self.init(assigned.address, prefixLength: assigned.prefix.length)
  }
}

extension ReachabilityPath {
  /// The names of the usable interfaces in their order.
  var names: [String] { interfaces.map(\.interface.name) }
}
#endif
