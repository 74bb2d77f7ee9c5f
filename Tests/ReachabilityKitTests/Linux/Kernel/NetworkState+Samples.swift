// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import NetlinkSupport
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
  static func ipv4(_ address: ReachabilityAddress, _ length: Int, on index: Int32 = 0) -> AddressMessage {
    AddressMessage(address, length, .permanent, on: index)
  }

  /// An IPv6 address as the kernel announces it.
  static func ipv6(
    _ address: ReachabilityAddress, _ length: Int, on index: Int32 = 0, _ flags: AddressFlags = []
  ) -> AddressMessage {
    AddressMessage(address, length, flags, on: index)
  }
}

extension RouteMessage {
  /// A route of the main table.
  static func to(_ destination: ReachabilityAddress?, _ length: UInt8, _ family: AddressFamily = .ipv4)
    -> RouteMessage
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

extension NetworkState {
  /// Tables with these links and addresses.
  init(_ links: [LinkState], _ addresses: [Int32: [AddressMessage]] = [:]) {
    self.init()
    for link in links { _ = update(link) }
    for (index, assigned) in addresses {
      for var address in assigned {
        address.index = index
        _ = update(address)
      }
    }
  }

  /// The tables of ``ScriptedNetwork/withOneLink()``.
  static var ofOneLink: NetworkState {
    NetworkState([.ethernet(2, "eth0")], [2: [.ipv4("10.1.0.1", 24)]])
  }
}
#endif
