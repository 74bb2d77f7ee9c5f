// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// A network interface that a path can use.
///
/// Two interfaces are equal if they have the same index and name. The Apple symbol is `NWInterface`.
public struct NWInterface: Sendable {
  /// The medium of an interface.
  public enum InterfaceType: Sendable {
    /// A tunnel, a dial-up link, Bluetooth or an unknown medium.
    case other
    /// Wi-Fi (IEEE 802.11).
    case wifi
    /// A mobile network.
    case cellular
    /// Ethernet, or a virtual interface that behaves like it.
    case wiredEthernet
    /// The loopback interface.
    case loopback
  }

  /// The medium.
  public let type: InterfaceType
  /// The name, for example `eth0`.
  public let name: String
  /// The index, from 1.
  public let index: Int

  init(_ interface: ReachabilityInterface) {
    type = InterfaceType(interface.kind)
    name = interface.name
    index = interface.index
  }
}

extension NWInterface: Hashable {
  /// Whether both have the same index and name.
  public static func == (one: NWInterface, other: NWInterface) -> Bool {
    one.index == other.index && one.name == other.name
  }

  /// Hashes the index and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(index)
    hasher.combine(name)
  }
}

extension NWInterface: CustomDebugStringConvertible {
  /// The name.
  public var debugDescription: String { name }
}

extension NWInterface.InterfaceType {
  init(_ kind: ReachabilityInterface.Kind) {
    switch kind {
    case .wired: self = .wiredEthernet
    case .wifi: self = .wifi
    case .cellular: self = .cellular
    case .loopback: self = .loopback
    case .bluetooth, .other: self = .other
    }
  }

  /// The kinds that this type covers.
  var kinds: [ReachabilityInterface.Kind] {
    ReachabilityInterface.Kind.allCases.filter { Self($0) == self }
  }
}
