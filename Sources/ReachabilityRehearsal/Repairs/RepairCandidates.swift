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
    /// What the command does besides; `nil` if it concerns the target alone.
    var warning: String?
    /// Whether it may need another command before it has an effect.
    var isFirstOfTwo = false

    /// This command, and then another one.
    func followed(by next: Candidate) -> Candidate {
      Candidate(
        command: "\(command) && \(next.command)",
        condition: [condition, next.condition].compactMap(\.self).first,
        warning: [warning, next.warning].compactMap(\.self).first)
    }
  }

  private(set) var list: [Candidate] = []
  /// The neighbours that did not answer.
  private(set) var silent: Set<ReachabilityAddress> = []
  private let links: [LinkMessage]
  private let addresses: [AddressMessage]
  private let neighbours: [NeighbourMessage]

  private static let forOthers = "it changes the way to other targets, too"

  init(for target: ReachabilityTarget, _ explanation: ReachabilityExplanation) {
    guard let transport = try? KernelTransport() else {
      (links, addresses, neighbours) = ([], [], [])
      return
    }
    var client = RouteClient(over: transport)
    links = ((try? client.links()) ?? .init()).entries.filter { $0.family == .unspecified }
    addresses = ((try? client.addresses()) ?? .init()).entries
    neighbours = ((try? client.neighbours()) ?? .init()).entries
    silent = Set(neighbours.filter { $0.state.contains(.failed) }.compactMap(\.destination))
    for step in explanation.steps where step.verdict == .failed {
      for command in step.advisedCommands {
        add(Candidate(command: command, isAdvice: true, isFirstOfTwo: true))
      }
    }
    addLinks(for: target)
    for family in target.families(explanation.status) {
      let rules = ((try? client.rules(family.rules)) ?? .init()).entries
      let hops = (try? client.nextHops(family.rules)) ?? []
      // Those of the default route, which are also those of an address without another route.
      let asked = family.asked(by: target)
      let routes = asked.flatMap { ((try? client.routes(to: $0)) ?? .init()).entries }
      addRoutes(family, to: target, among: routes, hops)
      addDeadRoutes(family, routes)
      addRules(family, rules)
    }
  }

  /// Links that are down: those by which packets may leave, and the ports of bridges and bonds.
  private mutating func addLinks(for target: ReachabilityTarget) {
    for link in links where !link.flags.contains(.up) && !link.flags.contains(.loopback) {
      let master = link.master.flatMap { master in links.first { $0.index == master } }
      guard let name = link.name, target.permits(link) || master.map(target.permits) == true else { continue }
      add(Candidate(command: "ip link set dev \(name.shellWord) up", isFirstOfTwo: master != nil))
    }
  }

  /// Routes over other links, to routers that are known there.
  private mutating func addRoutes(
    _ family: ReachabilityAddress.Family, to target: ReachabilityTarget, among routes: [RouteMessage],
    _ hops: [NextHop]
  ) {
    let defaults = routes.filter { $0.destinationLength == 0 && $0.kind == .unicast && $0.table == 254 }
    for link in links
    where link.flags.contains(.up) && link.hasCarrier != false && !link.flags.contains(.loopback) {
      let has = addresses.contains { $0.index == link.index && $0.address.family == family }
      guard has, target.permits(link), let name = link.name else { continue }
      for (gateway, isRouter) in gateways(on: link, family, hops) {
        let end = "via \(gateway) dev \(name.shellWord)"
        let condition = isRouter ? nil : "\(gateway) is a router"
        if case .address(let address) = target.destination, !defaults.isEmpty, address != gateway {
          let range = routes.contains { $0.destinationLength == address.bitWidth && $0.table == 254 }
          add(
            Candidate(
              command: "\(family.tool) route \(range ? "replace" : "add") \(address) \(end)",
              condition: condition))
        } else if defaults.isEmpty || target.interface != nil {
          // Behind those that there are.
          let metric = defaults.map { $0.priority ?? 0 }.max().map { " metric \($0 + 1)" } ?? ""
          add(Candidate(command: "\(family.tool) route add default \(end)\(metric)", condition: condition))
        }
      }
    }
  }

  /// Routes over links without a carrier, which hide others.
  private mutating func addDeadRoutes(_ family: ReachabilityAddress.Family, _ routes: [RouteMessage]) {
    for route in routes where route.kind == .unicast {
      guard let link = links.first(where: { $0.index == route.interface }), link.hasCarrier == false,
        let name = link.name, let destination = route.destination ?? family.unspecified,
        let prefix = IPPrefix(destination, length: Int(route.destinationLength))
      else { continue }
      let words = [
        family.tool, "route del", prefix.length == 0 ? "default" : "\(prefix)",
        route.gateway.map { "via \($0)" }, "dev \(name.shellWord)", route.priority.map { "metric \($0)" },
        "table \(Rule.name(ofTable: route.table))",
      ]
      let isOwn = prefix.length == destination.bitWidth
      add(
        Candidate(
          command: words.compactMap(\.self).joined(separator: " "), warning: isOwn ? nil : Self.forOthers))
    }
  }

  /// Rules that lead elsewhere, or that are missing.
  private mutating func addRules(_ family: ReachabilityAddress.Family, _ rules: [Rule]) {
    for (place, rule) in rules.enumerated() where ![0, 32766, 32767].contains(rule.priority) {
      guard let removal = Rule.removal(of: place, among: rules) else { continue }
      add(
        Candidate(
          command: "\(family.tool) rule del \(removal)", warning: Self.forOthers, isFirstOfTwo: true))
    }
    if !rules.isEmpty, !rules.contains(where: { $0.table == 254 }) {
      add(Candidate(command: "\(family.tool) rule add pref 32766 lookup main", warning: Self.forOthers))
    }
  }

  /// The routers on a link: those that routes name, then the neighbours that have answered.
  private func gateways(
    on link: LinkMessage, _ family: ReachabilityAddress.Family, _ hops: [NextHop]
  ) -> [(address: ReachabilityAddress, isRouter: Bool)] {
    var gateways: [(address: ReachabilityAddress, isRouter: Bool)] = []
    func add(_ address: ReachabilityAddress?, isRouter: Bool) {
      guard let address, address.family == family,
        !gateways.contains(where: { $0.address == address })
      else { return }
      gateways.append((address, isRouter))
    }
    for hop in hops where hop.interface == link.index { add(hop.gateway, isRouter: true) }
    let answered: NeighbourState = [.reachable, .stale, .delay, .probe, .permanent]
    let own = neighbours.filter {
      $0.index == link.index && !$0.state.isDisjoint(with: answered) && $0.kind == .unicast
    }
    for neighbour in own where neighbour.isRouter { add(neighbour.destination, isRouter: true) }
    // A host may be no router, so few are tried; IPv6 routers say that they are.
    if family == .v4 { for neighbour in own.prefix(2) { add(neighbour.destination, isRouter: false) } }
    return gateways
  }

  private mutating func add(_ candidate: Candidate) {
    if !list.contains(where: { $0.command == candidate.command }) { list.append(candidate) }
  }
}

extension ReachabilityAddress.Family {
  fileprivate var rules: AddressFamily { self == .v4 ? .ipv4 : .ipv6 }
  fileprivate var tool: String { self == .v4 ? "ip" : "ip -6" }
  fileprivate var unspecified: ReachabilityAddress? {
    ReachabilityAddress(octets: [UInt8](repeating: 0, count: self == .v4 ? 4 : 16))
  }

  /// The addresses whose routes matter.
  fileprivate func asked(by target: ReachabilityTarget) -> [ReachabilityAddress] {
    if case .address(let address) = target.destination { return [address] }
    return Array(DefaultRoute.addresses.filter { $0.family == self }.prefix(1))
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

  fileprivate func families(_ status: ReachabilityStatus) -> [ReachabilityAddress.Family] {
    switch destination {
    case .address(let address): [address.family]
    case .defaultRoute: [.v4, .v6]
    case .host:
      [.v4, .v6].filter { family in status.addresses.contains { $0.address.family == family } }
    }
  }
}

extension NeighbourMessage {
  /// Whether it says that it is a router, `NTF_ROUTER`.
  fileprivate var isRouter: Bool { flags & 0x80 != 0 }
}
