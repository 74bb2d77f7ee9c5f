#if os(Linux)
/// A change that the kernel announced.
package enum RouteEvent: Hashable, Sendable {
  case link(LinkMessage)
  case linkRemoved(LinkMessage)
  case address(AddressMessage)
  case addressRemoved(AddressMessage)
  case route(RouteMessage)
  case routeRemoved(RouteMessage)
  case rule(RuleMessage)
  case ruleRemoved(RuleMessage)
  case nexthop(NexthopMessage)
  case nexthopRemoved(NexthopMessage)
  /// A share of the traffic of a resilient next-hop group moved to another next hop, `RTM_NEWNEXTHOPBUCKET`.
  case nexthopBucket
  /// A setting of forwarding or of the treatment of dead links, `RTM_NEWNETCONF` and `RTM_DELNETCONF`.
  case configuration
  /// A message of a type, or about a family of addresses, that this module does not know.
  case other(MessageType)

  /// Reads a message of the route family.
  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    let payload = message.payload
    // The first byte of every message that has one.
    let family: UInt8? = try? bytes.integer(at: payload.lowerBound, before: payload.upperBound)
    if let family, !message.header.type.isOf(AddressFamily(rawValue: family)) {
      self = .other(message.header.type)
      return
    }
    switch message.header.type {
    case .newLink: self = .link(try LinkMessage(decoding: bytes, in: payload))
    case .deleteLink: self = .linkRemoved(try LinkMessage(decoding: bytes, in: payload))
    case .newAddress: self = .address(try AddressMessage(decoding: bytes, in: payload))
    case .deleteAddress: self = .addressRemoved(try AddressMessage(decoding: bytes, in: payload))
    case .newRoute: self = .route(try RouteMessage(decoding: bytes, in: payload))
    case .deleteRoute: self = .routeRemoved(try RouteMessage(decoding: bytes, in: payload))
    case .newRule: self = .rule(try RuleMessage(decoding: bytes, in: payload))
    case .deleteRule: self = .ruleRemoved(try RuleMessage(decoding: bytes, in: payload))
    case .newNexthop: self = .nexthop(try NexthopMessage(decoding: bytes, in: payload))
    case .deleteNexthop: self = .nexthopRemoved(try NexthopMessage(decoding: bytes, in: payload))
    case .newNexthopBucket: self = .nexthopBucket
    case .newNetconf, .deleteNetconf: self = .configuration
    case let type: self = .other(type)
    }
  }
}

extension MessageType {
  /// Whether a message of this type and family has the attributes that are read here.
  ///
  /// Those of other families differ: addresses of `AF_PHONET` and `AF_MCTP` are one byte long, and what bridges say of
  /// their ports (`AF_BRIDGE`) has the form of a link's message and is none.
  fileprivate func isOf(_ family: AddressFamily) -> Bool {
    switch self {
    case .newLink, .deleteLink: family == .unspecified
    case .newAddress, .deleteAddress, .newRoute, .deleteRoute, .newRule, .deleteRule:
      family == .ipv4 || family == .ipv6
    default: true
    }
  }
}
#endif
