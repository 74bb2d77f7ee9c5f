// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import ReachabilityKit

/// An IPv4 address, with the interface that it belongs to, if it matters.
///
/// The Apple symbol is `IPv4Address`.
public struct IPv4Address: Hashable, Sendable {
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
  /// Whether the address is in `127.0.0.0/8`.
  public var isLoopback: Bool { address?.isLoopback == true }
  /// Whether the address is in `169.254.0.0/16`.
  public var isLinkLocal: Bool { rawValue.starts(with: [169, 254]) }
  /// Whether the address is in `224.0.0.0/4`.
  public var isMulticast: Bool { address?.isMulticast == true }

  private var address: ReachabilityAddress? { ReachabilityAddress(octets: rawValue) }
}

extension IPv4Address: CustomDebugStringConvertible {
  /// The text form, with the interface if there is one, for example `10.1.0.254`.
  public var debugDescription: String {
    "\(address.map { "\($0)" } ?? "")\(interface.map { "%\($0)" } ?? "")"
  }
}

/// An IPv6 address, with the interface that it belongs to, if it matters.
///
/// The Apple symbol is `IPv6Address`.
public struct IPv6Address: Hashable, Sendable {
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
  /// Whether the address is `::1`.
  public var isLoopback: Bool { address?.isLoopback == true }
  /// Whether the address is in `fe80::/10`.
  public var isLinkLocal: Bool { address.map { $0.needsZone && !$0.isMulticast } ?? false }
  /// Whether the address is in `ff00::/8`.
  public var isMulticast: Bool { address?.isMulticast == true }

  private var address: ReachabilityAddress? { ReachabilityAddress(octets: rawValue) }
}

extension IPv6Address: CustomDebugStringConvertible {
  /// The text form, with the interface if there is one, for example `fe80::1%eth0`.
  public var debugDescription: String {
    "\(address.map { "\($0)" } ?? "")\(interface.map { "%\($0)" } ?? "")"
  }
}
