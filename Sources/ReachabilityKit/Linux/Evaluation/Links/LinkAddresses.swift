// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The addresses of one link, in no particular order.
///
/// A short list is searched linearly. A long one has an index, so that the cost does not grow with thousands of
/// addresses.
package struct LinkAddresses: Equatable, Sendable {
  private var list: [AddressMessage] = []
  private var index: AddressIndex?
  /// The number of addresses that can be the source of IPv6 packets that leave the link.
  private var sourcesBeyondLink = 0

  /// The size from which the list has an index; below half of it the index is dropped.
  static var indexedCount: Int { 32 }

  init(_ addresses: some Sequence<AddressMessage> = []) {
    for address in addresses { _ = update(address) }
  }

  /// Adds an address, or replaces it.
  ///
  /// - Returns: Whether that changes anything.
  mutating func update(_ address: AddressMessage) -> Bool {
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

  /// Removes an address, whatever its flags.
  ///
  /// - Returns: Whether it was there.
  mutating func remove(_ address: AddressMessage) -> Bool {
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

  /// Marks the IPv6 addresses that the kernel will check for duplicates again, because they stay while their link is
  /// down.
  ///
  /// The kernel announces only the end of the check. Addresses that it does not check (`IFA_F_NODAD`) stay as they
  /// are.
  mutating func expectDuplicateDetection() {
    for place in list.indices
    where list[place].address.bitWidth == 128 && !list[place].flags.contains(.unchecked) {
      count(list[place], -1)
      list[place].flags.insert(.tentative)
      count(list[place], 1)
    }
  }

  /// Whether the link has the address.
  func isAssigned(_ address: ReachabilityAddress) -> Bool {
    guard let index else { return list.contains { $0.address == address } }
    return index.places[address] != nil
  }

  /// Whether the address can be a source.
  func isUsable(_ address: ReachabilityAddress) -> Bool {
    guard let index else { return list.contains { $0.address == address && $0.isUsable } }
    return index.places[address]?.contains { list[$0].isUsable } ?? false
  }

  /// Whether a destination is in the prefix of an address.
  func isInPrefix(_ destination: ReachabilityAddress) -> Bool {
    guard let index else { return list.contains { $0.prefix.contains(destination) } }
    return index.hasPrefix(of: destination)
  }

  /// Whether any address can be the source of IPv6 packets that leave the link.
  var hasSourceBeyondLink: Bool { sourcesBeyondLink > 0 }

  private mutating func count(_ address: AddressMessage, _ change: Int) {
    if address.address.bitWidth == 128, !address.address.isOfLink, address.isUsable {
      sourcesBeyondLink += change
    }
  }

  /// Returns the position of the address, whatever its flags.
  private func place(of address: AddressMessage) -> Int? {
    guard let index else {
      return list.firstIndex { $0.address == address.address && $0.prefix == address.prefix }
    }
    return index.places[address.address]?.first { list[$0].prefix == address.prefix }
  }

  package static func == (one: LinkAddresses, other: LinkAddresses) -> Bool { one.list == other.list }
}

extension LinkAddresses: RandomAccessCollection {
  package var startIndex: Int { list.startIndex }
  package var endIndex: Int { list.endIndex }
  package subscript(place: Int) -> AddressMessage { list[place] }
}

/// The positions of addresses in a long list, and their prefixes.
private struct AddressIndex: Sendable {
  private(set) var places: [ReachabilityAddress: [Int]] = [:]
  private var prefixes: [IPPrefix: Int] = [:]

  init(_ list: [AddressMessage]) {
    for (place, address) in list.enumerated() { insert(address, place) }
  }

  mutating func insert(_ address: AddressMessage, _ place: Int) {
    places[address.address, default: []].append(place)
    prefixes[address.prefix, default: 0] += 1
  }

  mutating func remove(_ address: AddressMessage, _ place: Int) {
    places[address.address]?.removeAll { $0 == place }
    if places[address.address]?.isEmpty == true { places[address.address] = nil }
    prefixes[address.prefix]? -= 1
    if prefixes[address.prefix] == 0 { prefixes[address.prefix] = nil }
  }

  mutating func move(_ address: AddressMessage, from old: Int, to new: Int) {
    guard let position = places[address.address]?.firstIndex(of: old) else { return }
    places[address.address]?[position] = new
  }

  /// Whether an address is in one of the prefixes; of many, at most one of each length can match.
  func hasPrefix(of address: ReachabilityAddress) -> Bool {
    guard prefixes.count > address.bitWidth else { return prefixes.keys.contains { $0.contains(address) } }
    return (0...address.bitWidth).contains { length in
      IPPrefix(address, length: length).map { prefixes[$0] != nil } ?? false
    }
  }
}

extension AddressMessage: Comparable {
  /// Whether the address can be a source: it is neither tentative nor a duplicate.
  var isUsable: Bool {
    !flags.contains(.duplicate) && (!flags.contains(.tentative) || flags.contains(.optimistic))
  }

  /// Orders addresses for display: IPv4 before IPv6, link-local addresses last, then by number.
  ///
  /// Age does not count, since the kernel's messages do not contain it.
  package static func < (one: AddressMessage, other: AddressMessage) -> Bool {
    one.sortingKey < other.sortingKey
  }

  private var sortingKey: (Int, Int, UInt128, Int, UInt32) {
    let number: UInt128 =
      switch address {
      case .v4(let address): UInt128(address.rawValue)
      case .v6(let address): address.rawValue
      }
    return (address.bitWidth, address.isLinkLocal ? 1 : 0, number, prefix.length, flags.rawValue)
  }
}
#endif
