/// The small tables: links, the addresses that are assigned to them, and some policy rules.
package struct NetworkState: Hashable, Sendable {
  package private(set) var links: [Int32: LinkState] = [:]
  package private(set) var addresses: [Int32: LinkAddresses] = [:]
  /// Whether the links have more addresses than these, which could not be read.
  package var lacksAddresses = false
  /// The policy rules that ask where packets come from.
  package var sourceRules: [SourceRule] = []
  private var indexes: [InterfaceName: Int32] = [:]
  private var stack = LinkStack()
  /// The links that are switched on, but carry nothing.
  private var deadLinks: Set<Int32> = []
  /// Whether a next hop of a multipath IPv4 route may be dead: a link that carries nothing has an IPv4 address.
  package private(set) var mayHaveDeadHops = false

  package init() {}

  /// Returns the index of an interface that is there now, or `nil`.
  package func index(of interface: ReachabilityTarget.Interface) -> Int32? {
    switch interface {
    case .name(let name): indexes[InterfaceName(name)]
    case .index(let index): Int32(exactly: index).flatMap { links[$0]?.index }
    }
  }

  /// Puts a link in, or replaces what was known of it.
  ///
  /// After some of these, ``settle()`` is due.
  ///
  /// - Returns: Whether that changes what any status may depend on; the size of packets is nothing of that.
  package mutating func update(_ link: LinkState) -> Bool {
    let old = links[link.index]
    var link = link
    // Until it is worked out anew.
    if let old, link.foundation != .none, old.foundation == link.foundation {
      link.character = old.character
      link.lacksPorts = old.lacksPorts
    }
    stack.note(link.index, was: old, is: link)
    if let old, old.condition != .down, link.condition == .down {
      addresses[link.index]?.expectDuplicateDetection()
    }
    links[link.index] = link
    noteWhetherDead(link)
    if let old, old.names != link.names { forgetNames(of: old) }
    for name in link.names { indexes[name] = link.index }
    return old.map { !link.isEqualToStatuses($0) } ?? true
  }

  private mutating func noteWhetherDead(_ link: LinkState) {
    if link.isDead { deadLinks.insert(link.index) } else { deadLinks.remove(link.index) }
  }

  /// Works out what links are made of that stand on others, where a change concerns them.
  ///
  /// Apart from the changes themselves, since those come in numbers.
  ///
  /// - Returns: Whether that changes what any status may depend on.
  package mutating func settle() -> Bool {
    var bridges: Set<Int32> = []
    let isChange = stack.settle(&links, bridges: &bridges)
    for bridge in bridges.compactMap({ links[$0] }) { noteWhetherDead(bridge) }
    mayHaveDeadHops = deadLinks.contains { index in
      addresses[index]?.contains { $0.address.bitWidth == 32 } ?? false
    }
    return isChange
  }

  /// The links that lie directly below another, as far as the kernel tells, in the order of their indexes.
  ///
  /// For a bridge, bond, team or VRF these are the links that belong to it.
  package func lower(of index: Int32) -> [LinkState] {
    guard let link = links[index] else { return [] }
    var lower = stack.ports(of: index)
    if let only = link.lower { lower.insert(only) }
    lower.remove(index)
    return lower.sorted().compactMap { links[$0] }
  }

  /// Takes a link out, and its addresses with it.
  package mutating func removeLink(_ index: Int32) -> Bool {
    addresses[index] = nil
    deadLinks.remove(index)
    guard let old = links.removeValue(forKey: index) else { return false }
    stack.note(index, was: old, is: nil)
    forgetNames(of: old)
    return true
  }

  /// Another link may have taken one of them already.
  private mutating func forgetNames(of link: LinkState) {
    for name in link.names where indexes[name] == link.index { indexes[name] = nil }
  }

  /// Puts an address in, or replaces what was known of it.
  package mutating func update(_ address: AssignedAddress, on index: Int32) -> Bool {
    addresses[index, default: LinkAddresses()].update(address)
  }

  /// Takes an address out.
  package mutating func remove(_ address: AssignedAddress, on index: Int32) -> Bool {
    guard addresses[index]?.remove(address) == true else { return false }
    if addresses[index]?.isEmpty == true { addresses[index] = nil }
    return true
  }

  /// Whether a destination lies in the prefix of an address that a link has.
  func hasNeighbour(_ destination: IPAddress, on index: Int32) -> Bool {
    addresses[index]?.isInPrefix(destination) ?? false
  }

  /// The links that have an address in the prefix of which the destination lies.
  package func owners(of destination: IPAddress) -> [LinkState] {
    addresses.compactMap { index, assigned in
      assigned.isInPrefix(destination) ? links[index] : nil
    }
  }
}

// MARK: - Addresses that packets come from

extension NetworkState {
  /// Whether an address is assigned that a socket can be bound to, over an interface if one is given.
  ///
  /// The kernel's look-up is no help: for IPv6 it accepts any source, and rules may lead elsewhere than to what is local.
  func canSend(from source: IPAddress, over interface: Int32?) -> Bool {
    addresses.contains { index, assigned in
      (interface == nil || interface == index || !source.isOfLink)
        && assigned.isUsable(source)
    }
  }
}

extension NetworkState {
  /// Whether an interface has the address; which one does most likely makes it quick to find.
  func isAssigned(_ address: IPAddress, likelyOn index: Int32?) -> Bool {
    if let index, addresses[index]?.isAssigned(address) == true { return true }
    return addresses.values.contains { $0.isAssigned(address) }
  }

  /// Whether any IPv6 packet may come from here that goes further than a link.
  var hasSourceBeyondLink: Bool {
    lacksAddresses || addresses.values.contains { $0.hasSourceBeyondLink }
  }
}

extension IPAddress {
  /// Whether a socket that is bound to an interface can't be bound to this address of another one.
  var isOfLink: Bool { needsZone || (bitWidth == 128 && isLoopback) }
}

/// What a status may depend on of a link.
package struct LinkState: Hashable, Sendable {
  /// Whether packets can leave by the link now.
  package enum Condition: Hashable, Sendable {
    case up
    /// Administratively down.
    case down
    /// Administratively up, but the lower layer is not.
    case noCarrier
    /// Waits for an outside event.
    case dormant
  }

  package var interface: ReachabilityInterface
  /// The name, where it is no UTF-8, so that the interface's says only what it looks like.
  package var nameBeyondText: InterfaceName?
  /// The other names that the link answers to.
  package var alternativeNames: [InterfaceName]
  /// What the kernel says of the link.
  private var reportedCondition: Condition
  /// Whether this is a bridge that no link belongs to.
  package var lacksPorts = false
  /// Whether there is one other end, and so no neighbour to be direct with.
  package var isPointToPoint: Bool
  /// Whether the link is dialled or tunnelled.
  package var isTransient: Bool
  /// The index of the bridge, bond or VRF that the link belongs to.
  package var master: Int32?
  /// The index of the link that this one stands on, if that is in the same network namespace.
  package var lower: Int32?
  /// Which links decide what this one is made of.
  package var foundation: LinkFoundation
  /// What the link is made of without regard to what lies below it.
  package var ownCharacter: LinkCharacter
  /// The largest packet in bytes, or 0 if that is not known; no status depends on it.
  package var mtu: UInt32

  package var index: Int32 { Int32(interface.index) }
  /// Whether packets can leave by the link.
  ///
  /// The kernel takes up to a second to say that a bridge which lost its last port has no carrier.
  package var condition: Condition {
    get { lacksPorts && reportedCondition == .up ? .noCarrier : reportedCondition }
    set { reportedCondition = newValue }
  }
  /// Whether the link is switched on, but carries nothing.
  fileprivate var isDead: Bool { condition == .noCarrier || condition == .dormant }
  package var name: String { interface.name }
  /// Every name that the link answers to, its own first.
  package var names: [InterfaceName] {
    [nameBeyondText ?? InterfaceName(interface.name)] + alternativeNames
  }

  package init(
    _ interface: ReachabilityInterface, alternativeNames: [InterfaceName] = [], condition: Condition = .up,
    isPointToPoint: Bool = false, isTransient: Bool = false, master: Int32? = nil, lower: Int32? = nil,
    foundation: LinkFoundation = .none, mtu: UInt32 = 0
  ) {
    self.interface = interface
    self.alternativeNames = alternativeNames
    reportedCondition = condition
    self.isPointToPoint = isPointToPoint
    self.isTransient = isTransient
    self.master = master
    self.lower = lower
    self.foundation = foundation
    self.mtu = mtu
    ownCharacter = LinkCharacter(interface.kind, isTunnel: interface.isTunnel, isTransient: isTransient)
  }

  /// Whether no status can tell the two apart.
  fileprivate func isEqualToStatuses(_ other: LinkState) -> Bool {
    var other = other
    other.mtu = mtu
    return self == other
  }
}

/// An address of a link and the prefix that it makes reachable there.
package struct AssignedAddress: Hashable, Sendable {
  package var address: IPAddress
  package var prefix: IPPrefix
  /// The flags that have a say in the choice of a source address.
  package var flags: UInt32

  package init(address: IPAddress, prefix: IPPrefix, flags: UInt32 = 0) {
    self.address = address
    self.prefix = prefix
    self.flags = flags
  }
}
