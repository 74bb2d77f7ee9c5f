// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX
import ReachabilityKit

/// The commands that may make a target reachable, the likeliest first: what the explanation advises, then the obvious ones.
struct RepairCandidates {
  /// A command to try.
  struct Candidate {
    var command: String
    var isAdvice = false
    /// What a copy cannot tell.
    var condition: String?

    /// This command, and then another one.
    func followed(by next: Candidate) -> Candidate {
      Candidate(
        command: "\(command) && \(next.command)",
        condition: [condition, next.condition].compactMap(\.self).first)
    }
  }

  private(set) var list: [Candidate] = []

  /// More are not tried.
  private static let limit = 40

  init(for target: ReachabilityTarget, _ explanation: ReachabilityExplanation) {
    for step in explanation.steps where step.verdict == .failed {
      for command in step.advisedCommands { add(Candidate(command: command, isAdvice: true)) }
    }
    guard let transport = try? KernelTransport() else { return }
    var client = RouteClient(over: transport)
    let links = ((try? client.links()) ?? .init()).entries.filter { $0.family == .unspecified }
    let usable = links.filter { !$0.flags.contains(.loopback) && target.permits($0) }
    for link in usable where !link.flags.contains(.up) {
      if let name = link.name { add(Candidate(command: "ip link set dev \(name.shellWord) up")) }
    }
    let addresses = ((try? client.addresses()) ?? .init()).entries
    let neighbours = ((try? client.neighbours()) ?? .init()).entries
    for family in target.families(explanation.status) {
      let routes =
        DefaultRoute.addresses.filter { $0.family == family.address }.prefix(1)
        .flatMap { ((try? client.routes(to: $0)) ?? .init()).entries }
      for link in usable where link.flags.contains(.up) && link.hasCarrier != false {
        let has = addresses.contains { $0.index == link.index && $0.address.family == family.address }
        guard has, let name = link.name else { continue }
        for gateway in Self.gateways(on: link, family, routes: routes, neighbours: neighbours) {
          add(
            routesVia: gateway, over: name, family, to: target, hasDefault: routes.contains { $0.isDefault })
        }
      }
      for route in routes where route.kind == .unicast {
        // A route over a link without a carrier hides those of greater metrics.
        guard let link = links.first(where: { $0.index == route.interface }), link.hasCarrier == false,
          let name = link.name, route.isDefault
        else { continue }
        let words = [
          family.tool, "route del default", route.gateway.map { "via \($0)" }, "dev \(name.shellWord)",
          route.priority.map { "metric \($0)" }, "table \(Rule.name(ofTable: route.table))",
        ]
        add(Candidate(command: words.compactMap(\.self).joined(separator: " ")))
      }
      let rules = ((try? client.rules(family.rules)) ?? .init()).entries
      for (place, rule) in rules.enumerated() where ![0, 32766, 32767].contains(rule.priority) {
        if let removal = Rule.removal(of: place, among: rules) {
          add(Candidate(command: "\(family.tool) rule del \(removal)"))
        }
      }
    }
  }

  /// The routers on a link: those that routes name, then the neighbours that have answered.
  private static func gateways(
    on link: LinkMessage, _ family: Family, routes: [RouteMessage], neighbours: [NeighbourMessage]
  ) -> [(address: ReachabilityAddress, isRouter: Bool)] {
    var gateways: [(address: ReachabilityAddress, isRouter: Bool)] = []
    func add(_ address: ReachabilityAddress?, isRouter: Bool) {
      guard let address, address.family == family.address,
        !gateways.contains(where: { $0.address == address })
      else { return }
      gateways.append((address, isRouter))
    }
    for route in routes where route.interface == link.index { add(route.gateway, isRouter: true) }
    let answered: NeighbourState = [.reachable, .stale, .delay, .probe, .permanent]
    let own = neighbours.filter {
      $0.index == link.index && !$0.state.isDisjoint(with: answered) && $0.kind == .unicast
    }
    for neighbour in own where neighbour.isRouter { add(neighbour.destination, isRouter: true) }
    // A host may be no router, so few are tried; IPv6 routers say that they are.
    if family == .v4 { for neighbour in own.prefix(2) { add(neighbour.destination, isRouter: false) } }
    return gateways
  }

  private mutating func add(
    routesVia gateway: (address: ReachabilityAddress, isRouter: Bool), over link: InterfaceName,
    _ family: Family, to target: ReachabilityTarget, hasDefault: Bool
  ) {
    var destinations: [String] = []
    if !hasDefault || target.destination == .defaultRoute { destinations.append("default") }
    if case .address(let address) = target.destination, hasDefault, address != gateway.address {
      destinations.append("\(address)")
    }
    for destination in destinations {
      let command =
        "\(family.tool) route add \(destination) via \(gateway.address) dev \(link.shellWord)"
      add(
        Candidate(
          command: command, condition: gateway.isRouter ? nil : "\(gateway.address) is a router"))
    }
  }

  private mutating func add(_ candidate: Candidate) {
    guard list.count < Self.limit, !list.contains(where: { $0.command == candidate.command }) else { return }
    list.append(candidate)
  }

  fileprivate enum Family {
    case v4, v6

    var address: ReachabilityAddress.Family { self == .v4 ? .v4 : .v6 }
    var rules: AddressFamily { self == .v4 ? .ipv4 : .ipv6 }
    var tool: String { self == .v4 ? "ip" : "ip -6" }
  }
}

extension ReachabilityTarget {
  /// Whether packets may leave by a link.
  fileprivate func permits(_ link: LinkMessage) -> Bool {
    switch interface {
    case nil: link.master == nil
    case .index(let index): Int(link.index) == index
    case .some(let wanted):
      ([link.name].compactMap(\.self) + link.alternativeNames).contains { "\($0)" == "\(wanted)" }
    }
  }

  fileprivate func families(_ status: ReachabilityStatus) -> [RepairCandidates.Family] {
    switch destination {
    case .address(let address): [address.family == .v4 ? .v4 : .v6]
    case .defaultRoute: [.v4, .v6]
    case .host:
      [.v4, .v6].filter { family in status.addresses.contains { $0.address.family == family.address } }
    }
  }
}

extension RouteMessage {
  fileprivate var isDefault: Bool { destinationLength == 0 && kind == .unicast }
}

extension NeighbourMessage {
  /// Whether it says that it is a router, `NTF_ROUTER`.
  fileprivate var isRouter: Bool { flags & 0x80 != 0 }
}
