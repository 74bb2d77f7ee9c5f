// SPDX-License-Identifier: Apache-2.0
public import FoundationEssentials
import ReachabilityKit

/// An IPv4 or IPv6 address.
///
/// The Apple symbol is `IPAddress`.
public protocol IPAddress: Sendable {
  /// The octets in network order.
  var rawValue: Data { get }
  /// The interface that the address belongs to, or `nil` for any.
  var interface: NWInterface? { get }
  /// Whether the address is one of this machine to itself.
  var isLoopback: Bool { get }
  /// Whether the address is valid on one link only.
  var isLinkLocal: Bool { get }
  /// Whether the address is that of a group.
  var isMulticast: Bool { get }

  /// Creates an address from octets in network order; a wrong number returns `nil`.
  init?(_ rawValue: Data, _ interface: NWInterface?)
  /// Creates an address from its text form; any other text returns `nil`.
  init?(_ text: String)
}

extension IPAddress {
  /// The address for the rules that the libraries share.
  var address: ReachabilityAddress? { ReachabilityAddress(octets: rawValue) }

  /// The text form, with the interface if there is one.
  var text: String { "\(address.map { "\($0)" } ?? "")\(interface.map { "%\($0)" } ?? "")" }
}
