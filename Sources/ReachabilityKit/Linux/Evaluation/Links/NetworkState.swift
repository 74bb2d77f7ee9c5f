// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The links, their addresses, and the policy rules that match sources.
package struct NetworkState: Equatable, Sendable {
  package private(set) var links: [Int32: LinkState] = [:]
  package private(set) var addresses: [Int32: LinkAddresses] = [:]
  /// Whether the links have more addresses, which could not be read.
  package var lacksAddresses = false
  /// The policy rules that match the source of packets.
  package var sourceRules: [Rule] = []
  /// The queries for the packets that tunnels with a fixed remote make, by the tunnel's index.
  private(set) var tunnels: [Int32: RouteRequest] = [:]
  /// Whether a policy rule may match packets of one protocol or port only.
  package var matchesTransports = false
  /// Whether a policy rule may match packets of some users only.
  private(set) var matchesUsers = false
  private var indexes: [InterfaceName: Int32] = [:]
  private var stack = LinkStack()
  /// The links that are up, but cannot carry packets.
  private var deadLinks: Set<Int32> = []
  /// Whether a next hop of a multipath IPv4 route may be dead: a link that cannot carry packets has an IPv4 address.
  package private(set) var mayHaveDeadHops = false

  package init() {}

  /// Returns the index of an existing interface, or `nil`.
  package func index(of interface: ReachabilityTarget.Interface) -> Int32? {
    switch interface {
    case .name, .bytes: interface.interfaceName.flatMap { indexes[$0] }
    case .index(let index): Int32(exactly: index).flatMap { links[$0]?.index }
    }
  }

  /// Adds a link, or replaces it.
  ///
  /// After a series of these, call ``settle()``.
  ///
  /// - Returns: Whether that can change a status; a change of the MTU cannot.
  package mutating func update(_ link: LinkState) -> Bool {
    let old = links[link.index]
    var link = link
    // Until it is derived again.
    if let old, link.foundation != .none, old.foundation == link.foundation {
      link.character = old.character
      link.lacksPorts = old.lacksPorts
    }
    stack.update(link.index, was: old, is: link)
    if let old, old.condition != .down, link.condition == .down {
      addresses[link.index]?.expectDuplicateDetection()
    }
    links[link.index] = link
    recordWhetherDead(link)
    if let old, old.names != link.names { forgetNames(of: old) }
    for name in link.names { indexes[name] = link.index }
    return old.map { !link.isEqualToStatuses($0) } ?? true
  }

  /// Replaces the policy rules of both families.
  mutating func update(_ rules: [Rule]) {
    sourceRules = rules.filter { $0.source != nil }
    matchesTransports = rules.contains {
      $0.protocolNumber != nil || $0.destinationPorts != nil || $0.sourcePorts != nil
    }
    matchesUsers = rules.contains { $0.userIDs != nil }
  }

  /// Sets the query for the packets that a tunnel makes, or that a link makes none.
  ///
  /// - Returns: Whether that can change a status.
  package mutating func update(tunnel question: RouteRequest?, of index: Int32) -> Bool {
    guard question != nil || !tunnels.isEmpty, tunnels[index] != question else { return false }
    tunnels[index] = question
    return true
  }

  /// Removes all tunnels, so that they are evaluated as other links.
  mutating func forgetTunnels() { tunnels = [:] }

  /// The addresses whose routes decide where the packets of tunnels go.
  package var tunnelAddresses: [ReachabilityAddress] {
    if tunnels.isEmpty { return [] }
    return tunnels.values.flatMap { [$0.destination] + ($0.source.map { [$0] } ?? []) }
  }

  private mutating func recordWhetherDead(_ link: LinkState) {
    if link.isDead { deadLinks.insert(link.index) } else { deadLinks.remove(link.index) }
  }

  /// Derives the medium of links that stand on others, where a change affects them.
  ///
  /// Separate from the changes themselves, since these arrive in batches.
  ///
  /// - Returns: Whether that can change a status.
  package mutating func settle() -> Bool {
    var bridges: Set<Int32> = []
    let isChange = stack.settle(&links, bridges: &bridges)
    for bridge in bridges.compactMap({ links[$0] }) { recordWhetherDead(bridge) }
    mayHaveDeadHops = deadLinks.contains { index in
      addresses[index]?.contains { $0.address.bitWidth == 32 } ?? false
    }
    return isChange
  }

  /// Returns the links directly below another, as far as the kernel reports them, in the order of their indexes.
  ///
  /// For a bridge, bond, team or VRF, these are its members.
  package func lower(of index: Int32) -> [LinkState] {
    guard let link = links[index] else { return [] }
    var lower = stack.ports(of: index)
    if let only = link.lower { lower.insert(only) }
    lower.remove(index)
    return lower.sorted().compactMap { links[$0] }
  }

  /// Removes a link and its addresses.
  package mutating func removeLink(_ index: Int32) -> Bool {
    addresses[index] = nil
    deadLinks.remove(index)
    tunnels[index] = nil
    guard let old = links.removeValue(forKey: index) else { return false }
    stack.update(index, was: old, is: nil)
    forgetNames(of: old)
    return true
  }

  /// Another link may have one of the names already.
  private mutating func forgetNames(of link: LinkState) {
    for name in link.names where indexes[name] == link.index { indexes[name] = nil }
  }

  /// Adds an address, or replaces it.
  package mutating func update(_ address: AddressMessage) -> Bool {
    addresses[address.index, default: LinkAddresses()].update(address)
  }

  /// Removes an address.
  package mutating func remove(_ address: AddressMessage) -> Bool {
    guard addresses[address.index]?.remove(address) == true else { return false }
    if addresses[address.index]?.isEmpty == true { addresses[address.index] = nil }
    return true
  }

  /// Whether a destination is in the prefix of an address of a link.
  func hasNeighbour(_ destination: ReachabilityAddress, on index: Int32) -> Bool {
    addresses[index]?.isInPrefix(destination) ?? false
  }

  /// Returns the links that have an address whose prefix contains a destination.
  package func owners(of destination: ReachabilityAddress) -> [LinkState] {
    addresses.compactMap { index, assigned in
      assigned.isInPrefix(destination) ? links[index] : nil
    }
  }
}

// MARK: - Source addresses

extension NetworkState {
  /// Whether a socket can be bound to an address, over an interface if one is given.
  ///
  /// The kernel's lookup does not help: it accepts any IPv6 source, and rules may bypass the local table.
  func canSend(from source: ReachabilityAddress, over interface: Int32?) -> Bool {
    addresses.contains { index, assigned in
      (interface == nil || interface == index || !source.isOfLink)
        && assigned.isUsable(source)
    }
  }
}

extension NetworkState {
  /// Whether an interface has the address; the most likely one is checked first.
  func isAssigned(_ address: ReachabilityAddress, likelyOn index: Int32?) -> Bool {
    if let index, addresses[index]?.isAssigned(address) == true { return true }
    return addresses.values.contains { $0.isAssigned(address) }
  }

  /// Returns an interface that has the address.
  func interface(having address: ReachabilityAddress) -> Int32? {
    addresses.first { $0.value.isAssigned(address) }?.key
  }

  /// Whether an address belongs to other interfaces than one, over which packets leave; `nil` if it belongs to none.
  ///
  /// An address of a loopback, dummy or VRF interface belongs to the machine, and so to all of its interfaces.
  package func isDisplaced(_ address: ReachabilityAddress, from interface: Int32) -> Bool? {
    let holders = addresses.filter { $0.value.isAssigned(address) }.keys
    if holders.isEmpty { return nil }
    return !holders.contains { holder in
      guard holder != interface, let link = links[holder]?.interface else { return true }
      return link.kind == .loopback || link.linkType == "dummy" || link.linkType == "vrf"
    }
  }

  /// Whether any IPv6 address can be the source of packets that leave their link.
  var hasSourceBeyondLink: Bool {
    lacksAddresses || addresses.values.contains { $0.hasSourceBeyondLink }
  }
}
#endif
