#if os(Linux)
import InternetProtocol
@testable import Netlink
@testable import ReachabilityKit

extension LinkMessage {
  /// An Ethernet link that is up, or has no carrier.
  static func ethernet(_ index: Int32, _ name: String?, isUp: Bool = true) -> LinkMessage {
    var link = LinkMessage()
    link.hardwareType = 1
    link.index = index
    link.name = name.map { InterfaceName($0) }
    link.flags = isUp ? [.up, .running, .lowerUp] : .up
    link.operationalState = isUp ? .up : .down
    return link
  }
}

extension AddressMessage {
  /// An IPv4 address as the kernel announces it.
  static func ipv4(_ address: IPAddress, _ length: UInt8, on index: Int32) -> AddressMessage {
    var message = AddressMessage()
    message.family = .ipv4
    message.prefixLength = length
    message.index = index
    message.address = address
    message.local = address
    message.flags = AddressFlags(rawValue: 0x80)
    message.lifetime = Lifetime(preferredSeconds: .max, validSeconds: .max, created: 1, updated: 1)
    return message
  }

  /// An IPv6 address as the kernel announces it.
  static func ipv6(
    _ address: IPAddress, _ length: UInt8, on index: Int32, _ flags: AddressFlags = []
  ) -> AddressMessage {
    var message = AddressMessage()
    message.family = .ipv6
    message.prefixLength = length
    message.index = index
    message.address = address
    message.flags = flags
    return message
  }
}

extension RouteMessage {
  /// A route of the main table.
  static func to(_ destination: IPAddress?, _ length: UInt8, _ family: AddressFamily = .ipv4) -> RouteMessage
  {
    var route = RouteMessage()
    route.family = family
    route.destination = destination
    route.destinationLength = length
    route.table = 254
    route.kind = .unicast
    return route
  }
}

extension LinkState {
  /// The state of an Ethernet link.
  static func ethernet(_ index: Int, _ name: String, _ condition: Condition = .up) -> LinkState {
    LinkState(ReachabilityInterface(name: name, index: index, kind: .wired), condition: condition)
  }
}

extension AssignedAddress {
  /// An IPv4 address as ``AddressMessage/ipv4(_:_:on:)`` assigns it; `nil` for an invalid length.
  init?(_ address: IPAddress, _ length: Int, flags: UInt32 = 0x80) {
    guard let prefix = IPPrefix(address, length: length) else { return nil }
    self.init(address: address, prefix: prefix, flags: flags)
  }
}

extension NetworkState {
  /// Tables with these links and addresses.
  init(_ links: [LinkState], _ addresses: [Int32: [AssignedAddress?]] = [:]) {
    self.init()
    for link in links { _ = update(link) }
    for (index, assigned) in addresses {
      for address in assigned { _ = address.map { update($0, on: index) } }
    }
  }

  /// The tables of ``ScriptedNetwork/withOneLink()``.
  static var ofOneLink: NetworkState {
    NetworkState([.ethernet(2, "eth0")], [2: [AssignedAddress("10.1.0.1", 24)]])
  }
}
#endif
