/// The addresses of one link, in no order.
///
/// Mostly these are a few, which are looked through. Many are found by what is asked of them too, so that none of
/// thousands costs more than one of two.
package struct LinkAddresses: Hashable, Sendable {
  private var list: [AssignedAddress] = []
  private var index: AddressIndex?
  /// How many of them an IPv6 packet may come from that goes further than the link.
  private var sourcesBeyondLink = 0

  /// From how many on addresses have an index; half as many may lose it.
  static var indexedCount: Int { 32 }

  package init(_ addresses: some Sequence<AssignedAddress> = []) {
    for address in addresses { _ = update(address) }
  }

  /// Puts an address in, or replaces what was known of it.
  ///
  /// - Returns: Whether that changes anything.
  package mutating func update(_ address: AssignedAddress) -> Bool {
    guard let place = place(of: address) else {
      list.append(address)
      count(address, 1)
      if index == nil, list.count >= Self.indexedCount {
        index = AddressIndex(list)
      } else {
        index?.insert(address, list.count - 1)
      }
      return true
    }
    guard list[place] != address else { return false }
    count(list[place], -1)
    count(address, 1)
    list[place] = address
    return true
  }

  /// Takes an address out, whatever its flags are.
  ///
  /// - Returns: Whether it was there.
  package mutating func remove(_ address: AssignedAddress) -> Bool {
    guard let place = place(of: address) else { return false }
    count(list[place], -1)
    index?.remove(list[place], place)
    let last = list.removeLast()
    if place < list.count {
      list[place] = last
      index?.move(last, from: list.count, to: place)
    }
    if list.count < Self.indexedCount / 2 { index = nil }
    return true
  }

  /// Takes note that the kernel will check IPv6 addresses for duplicates that stay while their link is down.
  ///
  /// It announces that only when it is done. Addresses that it does not check (`IFA_F_NODAD`) stay as they are.
  mutating func expectDuplicateDetection() {
    for place in list.indices where list[place].address.bitWidth == 128 && list[place].flags & 0x02 == 0 {
      count(list[place], -1)
      // IFA_F_TENTATIVE.
      list[place].flags |= 0x40
      count(list[place], 1)
    }
  }

  /// Whether the link has the address.
  func isAssigned(_ address: IPAddress) -> Bool {
    guard let index else { return list.contains { $0.address == address } }
    return index.places[address] != nil
  }

  /// Whether packets may come from the address.
  func isUsable(_ address: IPAddress) -> Bool {
    guard let index else { return list.contains { $0.address == address && $0.isUsable } }
    return index.places[address]?.contains { list[$0].isUsable } ?? false
  }

  /// Whether a destination lies in the prefix of an address.
  func isInPrefix(_ destination: IPAddress) -> Bool {
    guard let index else { return list.contains { $0.prefix.contains(destination) } }
    return index.hasPrefix(of: destination)
  }

  /// Whether any IPv6 packet may come from here that goes further than the link.
  var hasSourceBeyondLink: Bool { sourcesBeyondLink > 0 }

  private mutating func count(_ address: AssignedAddress, _ change: Int) {
    if address.address.bitWidth == 128, !address.address.isOfLink, address.isUsable {
      sourcesBeyondLink += change
    }
  }

  /// Where the address is, whatever its flags are.
  private func place(of address: AssignedAddress) -> Int? {
    guard let index else {
      return list.firstIndex { $0.address == address.address && $0.prefix == address.prefix }
    }
    return index.places[address.address]?.first { list[$0].prefix == address.prefix }
  }

  package static func == (one: LinkAddresses, other: LinkAddresses) -> Bool { one.list == other.list }

  package func hash(into hasher: inout Hasher) { hasher.combine(list) }
}

extension LinkAddresses: RandomAccessCollection {
  package var startIndex: Int { list.startIndex }
  package var endIndex: Int { list.endIndex }
  package subscript(place: Int) -> AssignedAddress { list[place] }
}

/// Where each of many addresses is in their list, and which prefixes they have.
private struct AddressIndex: Sendable {
  private(set) var places: [IPAddress: [Int]] = [:]
  private var prefixes: [IPPrefix: Int] = [:]

  init(_ list: [AssignedAddress]) {
    for (place, address) in list.enumerated() { insert(address, place) }
  }

  mutating func insert(_ address: AssignedAddress, _ place: Int) {
    places[address.address, default: []].append(place)
    prefixes[address.prefix, default: 0] += 1
  }

  mutating func remove(_ address: AssignedAddress, _ place: Int) {
    places[address.address]?.removeAll { $0 == place }
    if places[address.address]?.isEmpty == true { places[address.address] = nil }
    prefixes[address.prefix]? -= 1
    if prefixes[address.prefix] == 0 { prefixes[address.prefix] = nil }
  }

  mutating func move(_ address: AssignedAddress, from old: Int, to new: Int) {
    guard let position = places[address.address]?.firstIndex(of: old) else { return }
    places[address.address]?[position] = new
  }

  /// Whether an address lies in one of the prefixes; of many, at most one of each length can have it.
  func hasPrefix(of address: IPAddress) -> Bool {
    guard prefixes.count > address.bitWidth else { return prefixes.keys.contains { $0.contains(address) } }
    return (0...address.bitWidth).contains { length in
      IPPrefix(address, length: length).map { prefixes[$0] != nil } ?? false
    }
  }
}
