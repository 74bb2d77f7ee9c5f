#if os(Linux)
@testable import Netlink

extension RouteEvent {
  /// The message that announces the event.
  var message: [UInt8] {
    var encoder = MessageEncoder()
    encoder.beginMessage(type: type, flags: [], sequence: 0)
    encode(into: &encoder)
    encoder.endMessage()
    return encoder.bytes
  }

  /// The groups whose members receive the event.
  var groups: Set<MulticastGroup> {
    switch self {
    case .link, .linkRemoved, .other: [.links]
    case .address(let message), .addressRemoved(let message):
      message.family == .ipv6 ? [.ipv6Addresses] : [.ipv4Addresses]
    case .route(let message), .routeRemoved(let message):
      message.family == .ipv6 ? [.ipv6Routes] : [.ipv4Routes]
    case .rule(let message), .ruleRemoved(let message):
      message.family == .ipv6 ? [.ipv6Rules] : [.ipv4Rules]
    case .nexthop, .nexthopRemoved, .nexthopBucket: [.nextHops]
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
    case .nexthop: .newNexthop
    case .nexthopRemoved: .deleteNexthop
    case .nexthopBucket: .newNexthopBucket
    case .configuration: .newNetconf
    case .other(let type): type
    }
  }

  private func encode(into encoder: inout MessageEncoder) {
    switch self {
    case .link(let message), .linkRemoved(let message): message.encode(into: &encoder)
    case .address(let message), .addressRemoved(let message): message.encode(into: &encoder)
    case .route(let message), .routeRemoved(let message): message.encode(into: &encoder)
    case .rule(let message), .ruleRemoved(let message): message.encode(into: &encoder)
    case .nexthop(let message), .nexthopRemoved(let message): message.encode(into: &encoder)
    case .nexthopBucket, .configuration, .other: encoder.append(UInt32(0))
    }
  }
}
#endif
