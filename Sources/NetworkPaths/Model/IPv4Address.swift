// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import ReachabilityKit

/// An IPv4 address, with the interface that it belongs to, if it matters.
///
/// The Apple symbol is `IPv4Address`.
public struct IPv4Address: IPAddress, Hashable {
  /// The 4 octets in network order.
  public let rawValue: Data
  /// The interface that the address belongs to, or `nil` for any.
  public let interface: NWInterface?

  /// Creates an address from 4 octets in network order; any other number returns `nil`.
  public init?(_ rawValue: Data, _ interface: NWInterface? = nil) {
    guard rawValue.count == 4 else { return nil }
    self.rawValue = rawValue
    self.interface = interface
  }

  /// Creates an address from its text form, for example `10.1.0.254`; any other text returns `nil`.
  public init?(_ text: String) {
    guard let address = ReachabilityAddress.V4(text) else { return nil }
    self.init(address)
  }

  init(_ address: ReachabilityAddress.V4, _ interface: NWInterface? = nil) {
    rawValue = Data(ReachabilityAddress.v4(address).octets)
    self.interface = interface
  }
}

extension IPv4Address {
  /// The unspecified address, `0.0.0.0`.
  public static let any = IPv4Address(0, 0, 0, 0)
  /// All hosts of the local network, `255.255.255.255`.
  public static let broadcast = IPv4Address(255, 255, 255, 255)
  /// This machine to itself, `127.0.0.1`.
  public static let loopback = IPv4Address(127, 0, 0, 1)
  /// The group of all hosts of a link, `224.0.0.1`.
  public static let allHostsGroup = IPv4Address(224, 0, 0, 1)
  /// The group of all routers of a link, `224.0.0.2`.
  public static let allRoutersGroup = IPv4Address(224, 0, 0, 2)
  /// The group for the reports of IGMPv3 (RFC 3376), `224.0.0.22`.
  public static let allReportsGroup = IPv4Address(224, 0, 0, 22)
  /// The group of multicast DNS (RFC 6762), `224.0.0.251`.
  public static let mdnsGroup = IPv4Address(224, 0, 0, 251)

  private init(_ octets: UInt8...) {
    rawValue = Data(octets)
    interface = nil
  }

  /// Whether the address is in `127.0.0.0/8`.
  public var isLoopback: Bool { address?.isLoopback == true }
  /// Whether the address is in `169.254.0.0/16`.
  public var isLinkLocal: Bool { rawValue.starts(with: [169, 254]) }
  /// Whether the address is in `224.0.0.0/4`.
  public var isMulticast: Bool { address?.isMulticast == true }
}

extension IPv4Address: CustomDebugStringConvertible {
  /// The text form, with the interface if there is one, for example `10.1.0.254`.
  public var debugDescription: String { text }
}
