#if os(Linux)
/// A change that the kernel announced.
///
/// Messages are large. So an event holds a reference to its own, and moves as one word.
package indirect enum RouteEvent: Hashable, Sendable {
  case link(LinkMessage)
  case linkRemoved(LinkMessage)
  case address(AddressMessage)
  case addressRemoved(AddressMessage)
  case route(RouteMessage)
  case routeRemoved(RouteMessage)
  case rule(RuleMessage)
  case ruleRemoved(RuleMessage)
  case neighbour(NeighbourMessage)
  case neighbourRemoved(NeighbourMessage)
  /// A change of a next-hop object, or of the shares in a resilient group.
  ///
  /// The kernel messages are `RTM_NEWNEXTHOP`, `RTM_DELNEXTHOP` and `RTM_NEWNEXTHOPBUCKET`.
  case nextHop
  /// A setting of forwarding or of the treatment of dead links, `RTM_NEWNETCONF` and `RTM_DELNETCONF`.
  case configuration
  /// A message of a type or an address family that this module does not decode.
  case other(MessageType)

  /// Decodes a message of the route family.
  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    let payload = message.payload
    // The address family is the first byte of every payload.
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
    case .newNeighbour: self = .neighbour(try NeighbourMessage(decoding: bytes, in: payload))
    case .deleteNeighbour: self = .neighbourRemoved(try NeighbourMessage(decoding: bytes, in: payload))
    case .newNextHop, .deleteNextHop, .newNextHopBucket: self = .nextHop
    case .newNetconf, .deleteNetconf: self = .configuration
    case let type: self = .other(type)
    }
  }
}

extension MessageType {
  /// Returns whether a message of this type and family has the attributes that this module decodes.
  ///
  /// Other families differ: addresses of `AF_PHONET` and `AF_MCTP` are one byte long, and messages about bridge ports
  /// (`AF_BRIDGE`) have the form of a link message, or of a neighbour, but describe something else.
  fileprivate func isOf(_ family: AddressFamily) -> Bool {
    switch self {
    case .newLink, .deleteLink: family == .unspecified
    case .newAddress, .deleteAddress, .newRoute, .deleteRoute, .newRule, .deleteRule, .newNeighbour,
      .deleteNeighbour:
      family == .ipv4 || family == .ipv6
    default: true
    }
  }
}
#endif
