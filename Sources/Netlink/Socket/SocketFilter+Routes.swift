// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

extension SocketFilter {
  /// Creates a filter that drops announcements of unrelated routes and passes everything else.
  ///
  /// A route is related to an address if its prefix contains the address. The filter drops no related route, but may
  /// pass unrelated ones: routes with short prefixes (up to `/3`), IPv6 routes that differ from an address only after
  /// the first 64 bits, and, with more addresses than a program can hold, routes into the smallest gaps between them.
  ///
  /// - Parameters:
  ///   - addresses: The addresses, in any order.
  ///   - port: The socket's netlink port; answers to it pass.
  ///   - limit: The maximum number of instructions.
  init(routesFor addresses: [ReachabilityAddress], port: UInt32, limit: Int = Self.limit) {
    var ipv4: [UInt32] = []
    var ipv6: [UInt64] = []
    for address in addresses {
      switch address {
      case .v4(let address): ipv4.append(address.rawValue)
      case .v6(let address): ipv6.append(UInt64(truncatingIfNeeded: address.rawValue >> 64))
      }
    }
    ipv4 = ipv4.sortedWithoutRepetition
    ipv6 = ipv6.sortedWithoutRepetition
    let fixed = Self.announcements(port).count + Self.families([], []).count + 2 * Self.headOfFamily
    var (count4, count6) = (ipv4.count, ipv6.count)
    while fixed + count4 * Self.costOfRange4 + count6 * Self.costOfRange6 > limit, count4 + count6 > 2 {
      if count4 * Self.costOfRange4 > count6 * Self.costOfRange6 {
        count4 = min(count4 - 1, max(1, count4 * 9 / 10))
      } else {
        count6 = min(count6 - 1, max(1, count6 * 9 / 10))
      }
    }
    instructions =
      Self.announcements(port)
      + Self.families(
        Self.routes4(ipv4.ranges(atMost: count4)), Self.routes6(ipv6.ranges(atMost: count6)))
  }

  /// The longest prefix length that always passes.
  private static var shortPrefix: UInt32 { 3 }
  // The number of instructions per range, and the maximum before a family's first range.
  private static var costOfRange4: Int { 6 }
  private static var costOfRange6: Int { 13 }
  private static var headOfFamily: Int { 48 }

  // Words of memory: the route's first and last address, for IPv6 the first 64 bits of each.
  private static var first: UInt32 { 0 }
  private static var firstLow: UInt32 { 1 }
  private static var last: UInt32 { 2 }
  private static var lastLow: UInt32 { 3 }

  /// Passes datagrams other than the announcement of one route; continues with the rest.
  private static func announcements(_ port: UInt32) -> [Instruction] {
    // The offsets of the two low bytes of a number in the machine's byte order.
    let (low, high): (UInt32, UInt32) = UInt16(1).bigEndian == 1 ? (3, 2) : (0, 1)
    return [
      .loadHalf(at: 4),
      .ifEqual(to: UInt32(MessageType.newRoute.rawValue.bigEndian), skip: 2, else: 0),
      .ifEqual(to: UInt32(MessageType.deleteRoute.rawValue.bigEndian), skip: 1, else: 0),
      .pass,
      .loadWord(at: 12), .ifEqual(to: port.bigEndian, skip: 0, else: 1), .pass,
      // The datagram ends with the message.
      .loadByte(at: high), .shiftLeft(8), .copyToX, .loadByte(at: low), .formUnionWithX, .copyToX,
      .loadLength, .ifEqualToX(skip: 1, else: 0), .pass,
    ]
  }

  /// Continues with the route's family; passes other families.
  private static func families(_ ipv4: [Instruction], _ ipv6: [Instruction]) -> [Instruction] {
    [
      .loadByte(at: 16),
      .ifEqual(to: UInt32(AddressFamily.ipv6.rawValue), skip: 0, else: 1), .skip(ipv4.count + 2),
      .ifEqual(to: UInt32(AddressFamily.ipv4.rawValue), skip: 1, else: 0), .pass,
    ] + ipv4 + ipv6
  }

  /// Passes short prefixes; sets X to the offset of the destination's attribute.
  private static var destination: [Instruction] {
    [
      .loadByte(at: 17), .ifMore(than: shortPrefix, skip: 1, else: 0), .pass,
      .loadX(UInt32(RouteAttribute.destination)), .load(28), .findAttribute,
      .ifEqual(to: 0, skip: 0, else: 1), .pass, .copyToX,
    ]
  }

  // MARK: IPv4

  private static func routes4(_ ranges: [ClosedRange<UInt32>]) -> [Instruction] {
    guard let end = ranges.last?.upperBound else {
      return [.loadByte(at: 17), .ifMore(than: shortPrefix, skip: 1, else: 0), .pass, .drop]
    }
    return destination + [
      .loadWord(behindX: 4), .store(in: first),
      // One bit less, because BPF has no shift by 32.
      .loadByte(at: 17), .subtract(1), .copyToX, .load(.max >> 1), .shiftRightByX,
      .loadX(from: first), .formUnionWithX, .store(in: last), .copyFromX,
      .ifMore(than: end, skip: 0, else: 1), .drop,
    ] + search4(ranges[...])
  }

  /// Finds the first range that ends at or after the route's start (A), and passes the route if it ends at or after the
  /// range's start.
  private static func search4(_ ranges: ArraySlice<ClosedRange<UInt32>>) -> [Instruction] {
    guard ranges.count > 1 else {
      return [
        .load(from: last), .ifNotLess(than: ranges[ranges.startIndex].lowerBound, skip: 0, else: 1), .pass,
        .drop,
      ]
    }
    let middle = ranges.startIndex + ranges.count / 2
    let lower = search4(ranges[..<middle])
    return [.ifMore(than: ranges[middle - 1].upperBound, skip: 0, else: 1), .skip(lower.count)]
      + lower + search4(ranges[middle...])
  }

  // MARK: IPv6

  private static func routes6(_ ranges: [ClosedRange<UInt64>]) -> [Instruction] {
    guard let end = ranges.last?.upperBound else {
      return [.loadByte(at: 17), .ifMore(than: shortPrefix, skip: 1, else: 0), .pass, .drop]
    }
    return destination + [
      .loadWord(behindX: 4), .store(in: first), .store(in: last),
      .loadWord(behindX: 8), .store(in: firstLow), .store(in: lastLow),
      .loadByte(at: 17),
      .ifNotLess(than: 64, skip: 16, else: 0),
      .ifNotLess(than: 32, skip: 8, else: 0),
      // Up to 31 bits: all of the second word, and some of the first.
      .copyToX, .load(.max), .store(in: lastLow), .shiftRightByX, .loadX(from: first), .formUnionWithX,
      .store(in: last), .skip(7),
      // 32 to 63 bits: some of the second word.
      .subtract(32), .copyToX, .load(.max), .shiftRightByX, .loadX(from: firstLow), .formUnionWithX,
      .store(in: lastLow),
      .load(from: first),
    ] + fork(above: end, [.drop], else: search6(ranges[...]))
  }

  private static func search6(_ ranges: ArraySlice<ClosedRange<UInt64>>) -> [Instruction] {
    guard ranges.count > 1 else {
      let start = ranges[ranges.startIndex].lowerBound
      return [
        .load(from: last), .ifMore(than: start.firstWord, skip: 3, else: 0),
        .ifEqual(to: start.firstWord, skip: 0, else: 3),
        .load(from: lastLow), .ifNotLess(than: start.secondWord, skip: 0, else: 1),
        .pass, .drop,
      ]
    }
    let middle = ranges.startIndex + ranges.count / 2
    return fork(
      above: ranges[middle - 1].upperBound, search6(ranges[middle...]), else: search6(ranges[..<middle]))
  }

  /// Continues with `upper` if the route starts above a bound, else with `lower`; A holds its first word before and
  /// after.
  private static func fork(
    above bound: UInt64, _ upper: [Instruction], else lower: [Instruction]
  ) -> [Instruction] {
    [
      .ifMore(than: bound.firstWord, skip: 3, else: 0), .ifEqual(to: bound.firstWord, skip: 0, else: 3),
      .load(from: firstLow), .ifMore(than: bound.secondWord, skip: 0, else: 1),
      .skip(lower.count + 1), .load(from: first),
    ] + lower + [.load(from: first)] + upper
  }
}

extension UInt64 {
  fileprivate var firstWord: UInt32 { UInt32(truncatingIfNeeded: self >> 32) }
  fileprivate var secondWord: UInt32 { UInt32(truncatingIfNeeded: self) }
}

extension Array where Element: FixedWidthInteger & UnsignedInteger {
  fileprivate var sortedWithoutRepetition: [Element] { Set(self).sorted() }

  /// Returns sorted numbers as ranges: one for each, or, above the limit, with the smallest gaps filled.
  func ranges(atMost limit: Int) -> [ClosedRange<Element>] {
    guard count > limit else { return map { $0...$0 } }
    guard limit > 0, let first, let last else { return [] }
    let borders = indices.dropFirst()
      .sorted { self[$0] - self[$0 - 1] > self[$1] - self[$1 - 1] }
      .prefix(limit - 1).sorted()
    let starts = [first] + borders.map { self[$0] }
    let ends = borders.map { self[$0 - 1] } + [last]
    return zip(starts, ends).map { $0...$1 }
  }
}

extension SocketFilter {
  /// Creates a filter that drops announcements of neighbours other than some, and treats all else as another filter does.
  ///
  /// Of IPv6 addresses it compares the last 32 bits, so it may pass the announcements of a few others.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the neighbours.
  ///   - other: The filter of everything else, which passes if it is `nil`.
  init(neighbours addresses: [ReachabilityAddress], then other: SocketFilter?) {
    let neighbours = Self.neighbours(addresses)
    instructions =
      [
        .loadHalf(at: 4),
        .ifEqual(to: UInt32(MessageType.newNeighbour.rawValue.bigEndian), skip: 2, else: 0),
        .ifEqual(to: UInt32(MessageType.deleteNeighbour.rawValue.bigEndian), skip: 1, else: 0),
        .skip(neighbours.count),
      ] + neighbours + (other?.instructions ?? [.pass])
  }

  private static func neighbours(_ addresses: [ReachabilityAddress]) -> [Instruction] {
    let ipv4 = Set(addresses.filter { $0.bitWidth == 32 }.map(\.lastWord)).sorted()
    let ipv6 = Set(addresses.filter { $0.bitWidth == 128 }.map(\.lastWord)).sorted()
    let search = [ipv4, ipv6].map { words in
      words.flatMap { [Instruction.ifEqual(to: $0, skip: 0, else: 1), .pass] } + [.drop]
    }
    return [
      // The address, whose attribute follows the header and 12 bytes.
      .loadX(UInt32(NeighbourAttribute.destination)), .load(28), .findAttribute,
      .ifEqual(to: 0, skip: 0, else: 1), .drop, .copyToX,
      .loadByte(at: 16),
      .ifEqual(to: UInt32(AddressFamily.ipv6.rawValue), skip: 0, else: 1), .skip(search[0].count + 3),
      .ifEqual(to: UInt32(AddressFamily.ipv4.rawValue), skip: 1, else: 0), .drop,
      .loadWord(behindX: 4),
    ] + search[0] + [.loadWord(behindX: 16)] + search[1]
  }
}

extension ReachabilityAddress {
  fileprivate var lastWord: UInt32 {
    switch self {
    case .v4(let address): address.rawValue
    case .v6(let address): UInt32(truncatingIfNeeded: address.rawValue)
    }
  }
}
#endif
