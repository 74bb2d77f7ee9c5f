// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import ReachabilityKit

/// An IPv6 address, with the interface that it belongs to, if it matters.
///
/// The Apple symbol is `IPv6Address`.
public struct IPv6Address: IPAddress, Hashable {
  /// The 16 octets in network order.
  public let rawValue: Data
  /// The interface that the address belongs to, or `nil` for any.
  public let interface: NWInterface?

  /// Creates an address from 16 octets in network order; any other number returns `nil`.
  public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 16 else { return nil }
    self.rawValue = rawValue
    self.interface = interface
  }

  /// Creates an address from its text form, for example `fd00::1`; any other text returns `nil`.
  public init?(_ text: String) {
    guard let address = ReachabilityAddress.V6(text) else { return nil }
    self.init(address)
  }

  init(_ address: ReachabilityAddress.V6, _ interface: NWInterface? = nil) {
    rawValue = Data(ReachabilityAddress.v6(address).octets)
    self.interface = interface
  }
}

extension IPv6Address {
  /// The unspecified address, `::`.
  public static let any = IPv6Address(0, 0)
  /// As Apple's, the unspecified address: IPv6 has no broadcast.
  public static let broadcast = any
  /// This machine to itself, `::1`.
  public static let loopback = IPv6Address(0, 1)
  /// The group of all addresses of this machine, `ff01::1`.
  public static let nodeLocalNodes = IPv6Address(0xff01, 1)
  /// The group of all hosts of a link, `ff02::1`.
  public static let linkLocalNodes = IPv6Address(0xff02, 1)
  /// The group of all routers of a link, `ff02::2`.
  public static let linkLocalRouters = IPv6Address(0xff02, 2)

  /// Creates an address from its first 16 and its last 8 bits.
  private init(_ prefix: UInt16, _ suffix: UInt8) {
    rawValue = Data([UInt8(prefix >> 8), UInt8(prefix & 0xff)]) + Data(count: 13) + [suffix]
    interface = nil
  }

  /// Whether the address is `::1`.
  public var isLoopback: Bool { address?.isLoopback == true }
  /// Whether the address is in `fe80::/10`.
  public var isLinkLocal: Bool { address.map { $0.needsZone && !$0.isMulticast } ?? false }
  /// Whether the address is in `ff00::/8`.
  public var isMulticast: Bool { address?.isMulticast == true }
  /// Whether the address is `::`.
  public var isAny: Bool { rawValue.allSatisfy { $0 == 0 } }
  /// Whether the address is in `fc00::/7` (RFC 4193).
  public var isUniqueLocal: Bool { rawValue.first.map { $0 & 0xfe == 0xfc } ?? false }
  /// Whether the address is in `::/96`, and neither `::` nor `::1`; the spelling is Apple's.
  public var isIPv4Compatabile: Bool { rawValue.starts(with: Data(count: 12)) && !isAny && !isLoopback }
  /// Whether the address is in `::ffff:0:0/96`.
  public var isIPv4Mapped: Bool { rawValue.starts(with: Data(count: 10) + [0xff, 0xff]) }
  /// Whether the address is in `2002::/16` (RFC 3056).
  public var is6to4: Bool { rawValue.starts(with: [0x20, 0x02]) }

  /// The IPv4 address in an IPv4-mapped or IPv4-compatible address, `nil` for others.
  public var asIPv4: IPv4Address? {
    isIPv4Mapped || isIPv4Compatabile ? IPv4Address(Data(rawValue.suffix(4))) : nil
  }

  /// How far packets to a group travel (RFC 4291, section 2.7).
  public enum Scope: UInt8, Sendable {
    /// Within the machine.
    case nodeLocal = 1
    /// On the link.
    case linkLocal = 2
    /// Within the site.
    case siteLocal = 5
    /// Within the organization.
    case organizationLocal = 8
    /// Everywhere.
    case global = 14
  }

  /// How far packets to the group travel; `nil` for other addresses, and for scopes without a name here.
  public var multicastScope: Scope? {
    isMulticast ? Scope(rawValue: rawValue[rawValue.startIndex + 1] & 0x0f) : nil
  }
}

extension IPv6Address: CustomDebugStringConvertible {
  /// The text form, with the interface if there is one, for example `fe80::1%eth0`.
  public var debugDescription: String { text }
}
