// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX

/// What lookups of routes do not show of a copy at one moment, and what a command may have changed.
package struct CopyState: Equatable, Sendable {
  /// What a link is a part of, and what it is made of.
  package struct Shape: Equatable, Sendable {
    /// The index of the link that it belongs to, for example a bridge; `nil` for a VRF.
    var master: UInt32?
    /// The ports of a bridge that carry packets: behind one of them is the rest of its network.
    var ports: Set<Int32> = []
    /// Whether it asks for link-layer addresses, without `IFF_NOARP`.
    var asksForAddresses = true
    /// Whether it is administratively up.
    var isUp = false

    /// Whether a link that has this shape now still leads where it led with another one.
    package func leadsWhere(_ before: Shape) -> Bool {
      master == before.master && asksForAddresses == before.asksForAddresses
        && before.ports.isSubset(of: ports)
    }
  }

  /// The shapes of the links by their names.
  package var shapes: [String: Shape] = [:]
  /// Whether a rule is about firewall marks.
  package var hasMarkRules = false
  /// Whether a rule is about the type of service.
  package var hasServiceRules = false
  /// The links on which IPv6 packets are forwarded.
  var forwardingLinks: Set<Int32> = []
  /// The rules about users.
  var userRules: Set<KernelObject> = []
  /// Whether the kernel still checks an address for duplicates, and does not use it before.
  package var isCheckingAddresses = false
  /// When the addresses end that have lifetimes.
  var addressEnds: [[UInt8]: Moment] = [:]
  /// When the routes end that have lifetimes.
  var routeEnds: [KernelObject: Moment] = [:]

  /// The links that were switched on since another state.
  package func risenLinks(since before: CopyState) -> Set<String> {
    Set(shapes.filter { $0.value.isUp && before.shapes[$0.key]?.isUp == false }.keys)
  }

  /// Whether IPv6 packets are forwarded on a link where they were not before.
  package func hasNewForwarding(since before: CopyState) -> Bool {
    !forwardingLinks.isSubset(of: before.forwardingLinks)
  }

  /// Whether the loopback interface was switched off or on since another state.
  package func hasSwitchedLoopback(since before: CopyState) -> Bool {
    shapes["lo"]?.isUp != before.shapes["lo"]?.isUp
  }

  /// Whether an address has a lifetime that it did not have before, or a shorter one.
  package func hasEndingAddresses(since before: CopyState) -> Bool {
    Self.isAny(of: addressEnds, earlierThan: before.addressEnds)
  }

  /// Whether a route has a lifetime that it did not have before, or a shorter one.
  package func hasEndingRoutes(since before: CopyState) -> Bool {
    Self.isAny(of: routeEnds, earlierThan: before.routeEnds)
  }

  private static func isAny<Name>(of ends: [Name: Moment], earlierThan before: [Name: Moment]) -> Bool {
    // The kernel states the lifetimes of addresses in whole seconds.
    ends.contains { name, end in before[name].map { end.advanced(by: .milliseconds(1500)) < $0 } ?? true }
  }

  /// Whether rules about users were added since another state that may match other users than in the original.
  ///
  /// - Parameter root: The user who stands for the user 0; `nil` if all users but one have no number in the copy.
  package func hasOtherUserRules(since before: CopyState, root: UInt32?) -> Bool {
    userRules.subtracting(before.userRules).contains { rule in
      guard let root, let range = rule[KernelObject.userRange].map({ KernelObject(fixed: $0) }),
        range.fixed.count == 8
      else { return true }
      return range.integer(UInt32.self, at: 0) <= root && root <= range.integer(UInt32.self, at: 4)
    }
  }
}

extension NetworkCopy {
  /// Reads the present state; `nil` if the kernel does not answer.
  package mutating func state() -> CopyState? {
    guard let links = try? NetworkSnapshot.links(over: &near),
      let rules = try? NetworkSnapshot.rules(over: &near),
      let addresses = try? NetworkSnapshot.addresses(over: &near),
      let routes = try? NetworkSnapshot.routesWithLifetimes(over: &near)
    else { return nil }
    let now = Moment.now
    var state = CopyState()
    for link in links {
      guard let name = link.linkName else { continue }
      var shape = CopyState.Shape(master: link.number(LinkAttribute.master))
      // A VRF has other tables, and the same network.
      if links.contains(where: { UInt32(bitPattern: $0.index) == shape.master && $0.linkKind == "vrf" }) {
        shape.master = nil
      }
      let flags = link.integer(UInt32.self, at: 8)
      shape.asksForAddresses = flags & LinkPlan.withoutAddresses == 0
      shape.isUp = flags & LinkPlan.up != 0
      if link.linkKind == "bridge" {
        shape.ports = Set(links.filter { $0.isPort(of: link) }.map(\.index))
      }
      state.shapes[name] = shape
    }
    // FRA_FWMARK, FRA_FWMASK; the type of service in the fixed part, FRA_DSCP.
    state.hasMarkRules = rules.contains { $0[10] != nil || $0[16] != nil }
    state.hasServiceRules = rules.contains { $0.fixed[3] != 0 || $0[26] != nil }
    state.userRules = Set(rules.filter { $0[KernelObject.userRange] != nil })
    state.forwardingLinks = (try? NetworkSnapshot.forwardingLinks(over: &near)) ?? []
    state.isCheckingAddresses = !areUsed(addresses, among: links)
    for address in addresses {
      guard let name = address[1], let lifetime = address.addressLifetime else { continue }
      state.addressEnds[name] = now.advanced(by: lifetime)
    }
    for route in routes {
      guard let lifetime = route.routeLifetime, lifetime > 0 else { continue }
      var name = route
      name[RouteAttribute.cacheInfo] = nil
      state.routeEnds[name] = now.advanced(by: .milliseconds(Int64(lifetime) * 10))
    }
    return state
  }
}

extension KernelObject {
  /// Whether a link is a part of another one, and carries packets.
  fileprivate func isPort(of bridge: KernelObject) -> Bool {
    number(LinkAttribute.master) == UInt32(bitPattern: bridge.index)
      && integer(UInt32.self, at: 8) & LinkPlan.lowerUp != 0
  }
}
