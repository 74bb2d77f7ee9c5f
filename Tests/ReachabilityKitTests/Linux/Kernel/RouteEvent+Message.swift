// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport

@testable import Netlink

extension RouteEvent {
  /// The message that announces the event.
  var message: [UInt8] {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: flags, sequence: 0)
    encode(into: &encoder)
    encoder.endMessage()
    return encoder.bytes
  }

  /// The groups whose members receive the event.
  var groups: Set<MulticastGroup> {
    switch self {
    case .link, .linkRemoved, .other: [.links]
    case .address(let message), .addressRemoved(let message):
      message.address.bitWidth == 128 ? [.ipv6Addresses] : [.ipv4Addresses]
    case .route(let message), .routeRemoved(let message):
      message.family == .ipv6 ? [.ipv6Routes] : [.ipv4Routes]
    case .rule(let message), .ruleRemoved(let message):
      message.family == .ipv6 ? [.ipv6Rules] : [.ipv4Rules]
    case .neighbour, .neighbourRemoved: [.neighbours]
    case .nextHop: [.nextHops]
    case .routerOption: [.routerOptions]
    case .configuration: [.ipv4Configuration, .ipv6Configuration]
    }
  }

  private var type: MessageType {
    switch self {
    case .link: .newLink
    case .linkRemoved: .deleteLink
    case .address: .newAddress
    case .addressRemoved: .deleteAddress
    case .route: .newRoute
    case .routeRemoved: .deleteRoute
    case .rule: .newRule
    case .ruleRemoved: .deleteRule
    case .neighbour: .newNeighbour
    case .neighbourRemoved: .deleteNeighbour
    case .nextHop: .newNextHop
    case .configuration: .newNetconf
    case .routerOption: .newRouterOption
    case .other(let type): type
    }
  }
}
#endif
