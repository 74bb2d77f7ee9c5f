/// The small tables: links, the addresses that are assigned to them, and some policy rules.
package struct NetworkState: Hashable, Sendable {
  package private(set) var links: [Int32: LinkState] = [:]
  package private(set) var addresses: [Int32: [AssignedAddress]] = [:]
  /// The policy rules that ask where packets come from.
  package var sourceRules: [SourceRule] = []
  private var indexes: [String: Int32] = [:]
  private var stack = LinkStack()

  package init() {}

  /// Returns the index of an interface that is there now, or `nil`.
  package func index(of interface: Target.Interface) -> Int32? {
    switch interface {
    case .name(let name): indexes[name]
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
    if let old, link.foundation != .none, old.foundation == link.foundation { link.character = old.character }
    stack.note(link.index, was: old, is: link)
    if let old, old.condition != .down, link.condition == .down { expectDuplicateDetection(on: link.index) }
    links[link.index] = link
    if let old, old.name != link.name, indexes[old.name] == link.index { indexes[old.name] = nil }
    indexes[link.name] = link.index
    return old.map { !link.isEqualToStatuses($0) } ?? true
  }

  /// Works out what links are made of that stand on others, where a change concerns them.
  ///
  /// Apart from the changes themselves, since those come in numbers.
  ///
  /// - Returns: Whether that changes what any status may depend on.
  package mutating func settle() -> Bool {
    stack.settle(&links)
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
    guard let old = links.removeValue(forKey: index) else { return false }
    stack.note(index, was: old, is: nil)
    if indexes[old.name] == index { indexes[old.name] = nil }
    return true
  }

  /// Puts an address in, or replaces what was known of it.
  package mutating func update(_ address: AssignedAddress, on index: Int32) -> Bool {
    var assigned = addresses[index] ?? []
    guard !assigned.contains(address) else { return false }
    assigned.removeAll { $0.address == address.address && $0.prefix == address.prefix }
    assigned.append(address)
    addresses[index] = assigned
    return true
  }

  /// Takes an address out.
  package mutating func remove(_ address: AssignedAddress, on index: Int32) -> Bool {
    guard var assigned = addresses[index] else { return false }
    let count = assigned.count
    assigned.removeAll { $0.address == address.address && $0.prefix == address.prefix }
    addresses[index] = assigned.isEmpty ? nil : assigned
    return assigned.count != count
  }

  /// The links that have an address in the prefix of which the destination lies.
  package func owners(of destination: IPAddress) -> [LinkState] {
    addresses.compactMap { index, assigned in
      assigned.contains { $0.prefix.contains(destination) } ? links[index] : nil
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
        && assigned.contains { $0.address == source && $0.isUsable }
    }
  }

  /// Takes note that the kernel will check IPv6 addresses for duplicates that stay while their link is down.
  ///
  /// It announces that only when it is done. Addresses that it does not check (`IFA_F_NODAD`) stay as they are.
  private mutating func expectDuplicateDetection(on index: Int32) {
    guard var assigned = addresses[index] else { return }
    for position in assigned.indices
    where assigned[position].address.bitWidth == 128 && assigned[position].flags & 0x02 == 0 {
      // IFA_F_TENTATIVE.
      assigned[position].flags |= 0x40
    }
    addresses[index] = assigned
  }
}

extension NetworkState {
  /// Whether an interface has the address; which one does most likely makes it quick to find.
  func isAssigned(_ address: IPAddress, likelyOn index: Int32?) -> Bool {
    if let index, let assigned = addresses[index], assigned.contains(where: { $0.address == address }) {
      return true
    }
    return addresses.values.contains { assigned in assigned.contains { $0.address == address } }
  }

  /// Whether any IPv6 packet may come from here that goes further than a link.
  var hasSourceBeyondLink: Bool {
    addresses.values.contains { assigned in
      assigned.contains { $0.address.bitWidth == 128 && !$0.address.isOfLink && $0.isUsable }
    }
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

  package var interface: NetworkInterface
  package var condition: Condition
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
  package var name: String { interface.name }

  package init(
    _ interface: NetworkInterface, condition: Condition = .up, isPointToPoint: Bool = false,
    isTransient: Bool = false, master: Int32? = nil, lower: Int32? = nil,
    foundation: LinkFoundation = .none, mtu: UInt32 = 0
  ) {
    self.interface = interface
    self.condition = condition
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
