// SPDX-License-Identifier: Apache-2.0
/// An IPv4 or IPv6 address, without a port and without a zone.
///
/// Parsing is strict: four decimal numbers without leading zeros, or the form of RFC 4291 section 2.2. Printing uses
/// the form of RFC 5952.
public enum ReachabilityAddress: Hashable, Sendable {
  /// An IPv4 address.
  case v4(V4)
  /// An IPv6 address.
  case v6(V6)

  /// Parses an address, or returns `nil` if the text is not one.
  public init?(_ text: some StringProtocol) {
    self.init(String(text)[...])
  }

  /// Does the same without the run-time cost of generic code.
  package init?(_ text: Substring) {
    if let address = V4(text) {
      self = .v4(address)
    } else if let address = V6(text) {
      self = .v6(address)
    } else {
      return nil
    }
  }

  /// Creates an address from 4 or 16 octets in network order; any other number returns `nil`.
  public init?(octets: some Collection<UInt8>) {
    switch octets.count {
    case 4: self = .v4(V4(rawValue: octets.reduce(0) { $0 << 8 | UInt32($1) }))
    case 16: self = .v6(V6(rawValue: octets.reduce(0) { $0 << 8 | UInt128($1) }))
    default: return nil
    }
  }

  /// The octets in network order, 4 or 16.
  public var octets: [UInt8] {
    switch self {
    case .v4(let address): (0..<4).map { UInt8(truncatingIfNeeded: address.rawValue >> (24 - 8 * $0)) }
    case .v6(let address): (0..<16).map { UInt8(truncatingIfNeeded: address.rawValue >> (120 - 8 * $0)) }
    }
  }

  /// The version of the Internet Protocol.
  public enum Family: Hashable, Sendable {
    /// IPv4.
    case v4
    /// IPv6.
    case v6
  }

  /// The protocol version of the address.
  public var family: Family {
    switch self {
    case .v4: .v4
    case .v6: .v6
    }
  }

  /// The number of bits: 32 or 128.
  public var bitWidth: Int {
    switch self {
    case .v4: 32
    case .v6: 128
    }
  }

  /// The IPv4 address in an IPv4-mapped IPv6 address (`::ffff:0:0/96`), otherwise the address itself.
  ///
  /// The source is RFC 4291 section 2.5.5.2.
  public var unmapped: ReachabilityAddress {
    guard case .v6(let address) = self, let inner = address.mappedV4 else { return self }
    return .v4(inner)
  }

  /// Whether the address is `0.0.0.0` or `::`.
  public var isUnspecified: Bool {
    switch self {
    case .v4(let address): address.rawValue == 0
    case .v6(let address): address.rawValue == 0
    }
  }

  /// Whether the address is in `127.0.0.0/8`, or is `::1`.
  public var isLoopback: Bool {
    switch self {
    case .v4(let address): address.rawValue >> 24 == 127
    case .v6(let address): address.rawValue == 1
    }
  }

  /// Whether the address is in `224.0.0.0/4` or `ff00::/8`.
  public var isMulticast: Bool {
    switch self {
    case .v4(let address): address.rawValue >> 28 == 0xe
    case .v6(let address): address.rawValue >> 120 == 0xff
    }
  }

  /// Whether the address is meaningful only with a zone, as in `fe80::1%eth0`.
  ///
  /// These are link-local unicast addresses and multicast addresses of interface-local or link-local scope.
  /// Without a zone `connect` fails with `EINVAL`. The source is RFC 4007.
  public var needsZone: Bool {
    guard case .v6(let address) = self else { return false }
    if address.rawValue >> 118 == 0xfe80 >> 6 { return true }
    return multicastScope.map { $0 == 1 || $0 == 2 } ?? false
  }

  /// Whether the address may have a zone.
  ///
  /// Besides the addresses that need one, these are multicast addresses of up to site-local scope; their zone covers
  /// links that differ between machines. The source is RFC 4007.
  public var canHaveZone: Bool { needsZone || multicastScope.map { (3...5).contains($0) } ?? false }

  /// The scope of an IPv6 multicast address (RFC 4291, section 2.7).
  private var multicastScope: Int? {
    guard case .v6(let address) = self, isMulticast else { return nil }
    return Int((address.rawValue >> 112) & 0xf)
  }
}

extension ReachabilityAddress: CustomStringConvertible {
  /// The text form of RFC 5952, for example `10.1.0.2` or `fd00::1`.
  public var description: String {
    switch self {
    case .v4(let address): address.description
    case .v6(let address): address.description
    }
  }
}

/// Coded as its text.
extension ReachabilityAddress: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let address = Self(text[...]) else {
      throw DecodingError.dataCorruptedError(in: container, debugDescription: "'\(text)' is no address")
    }
    self = address
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ReachabilityAddress: ExpressibleByStringLiteral {
  /// Creates an address from a literal; an invalid literal is a programming error and traps.
  ///
  /// Swift treats `ReachabilityAddress("10.0.0.1")` as a literal too; text from a variable uses the failable initializer.
  public init(stringLiteral text: String) {
    guard let address = ReachabilityAddress(text) else { preconditionFailure("\(text) is not an IP address") }
    self = address
  }
}

extension ReachabilityAddress.Family: CustomStringConvertible {
  /// `IPv4` or `IPv6`.
  public var description: String {
    switch self {
    case .v4: "IPv4"
    case .v6: "IPv6"
    }
  }
}

/// A range of addresses with the same leading bits, for example `10.1.0.0/16`.
package struct IPPrefix: Hashable, Sendable, CustomStringConvertible {
  /// The lowest address of the range.
  package let address: ReachabilityAddress
  /// The number of shared leading bits: 0 to 32, or 0 to 128.
  package let length: Int

  /// Creates the range that contains an address; bits beyond the length are cleared.
  ///
  /// Returns `nil` if the length is negative or longer than the address.
  package init?(_ address: ReachabilityAddress, length: Int) {
    guard (0...address.bitWidth).contains(length) else { return nil }
    self.length = length
    switch address {
    case .v4(let v4): self.address = .v4(.init(rawValue: v4.rawValue & Self.mask(UInt32.self, length)))
    case .v6(let v6): self.address = .v6(.init(rawValue: v6.rawValue & Self.mask(UInt128.self, length)))
    }
  }

  /// Returns whether an address belongs to the range.
  package func contains(_ other: ReachabilityAddress) -> Bool {
    switch (address, other) {
    case (.v4(let own), .v4(let other)): (own.rawValue ^ other.rawValue) & Self.mask(UInt32.self, length) == 0
    case (.v6(let own), .v6(let other)):
      (own.rawValue ^ other.rawValue) & Self.mask(UInt128.self, length) == 0
    default: false
    }
  }

  /// The highest address of the range.
  package var last: ReachabilityAddress {
    switch address {
    case .v4(let v4): .v4(.init(rawValue: v4.rawValue | ~Self.mask(UInt32.self, length)))
    case .v6(let v6): .v6(.init(rawValue: v6.rawValue | ~Self.mask(UInt128.self, length)))
    }
  }

  /// The address and the length, for example `10.1.0.0/16`.
  package var description: String { "\(address)/\(length)" }

  private static func mask<Bits: FixedWidthInteger>(_: Bits.Type, _ length: Int) -> Bits {
    length == 0 ? 0 : ~0 << (Bits.bitWidth - length)
  }
}
