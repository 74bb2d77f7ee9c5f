#if os(Linux)
import InternetProtocol

extension SocketFilter {
  /// Creates a filter that drops announcements of neighbours other than some, and treats all else as another filter does.
  ///
  /// Of IPv6 addresses it compares the last 32 bits, so it may pass the announcements of a few others.
  ///
  /// - Parameters:
  ///   - addresses: The addresses of the neighbours.
  ///   - other: The filter of everything else, which passes if it is `nil`.
  package init(neighbours addresses: [IPAddress], then other: SocketFilter?) {
    let neighbours = Self.neighbours(addresses)
    instructions =
      [
        .loadHalf(at: 4),
        .ifEqual(to: UInt32(MessageType.newNeighbour.rawValue.bigEndian), skip: 2, else: 0),
        .ifEqual(to: UInt32(MessageType.deleteNeighbour.rawValue.bigEndian), skip: 1, else: 0),
        .skip(neighbours.count),
      ] + neighbours + (other?.instructions ?? [.pass])
  }

  private static func neighbours(_ addresses: [IPAddress]) -> [Instruction] {
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

extension IPAddress {
  fileprivate var lastWord: UInt32 {
    switch self {
    case .v4(let address): address.rawValue
    case .v6(let address): UInt32(truncatingIfNeeded: address.rawValue)
    }
  }
}
#endif
