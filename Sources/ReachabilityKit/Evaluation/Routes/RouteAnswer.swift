/// The answer of the routing tables to a query.
package enum RouteAnswer: Hashable, Sendable {
  case route(RouteReply)
  case refused(Refusal)

  /// The reason why a packet would not be sent.
  package enum Refusal: Hashable, Sendable {
    case networkUnreachable
    case hostUnreachable
    case invalid
    case accessDenied
    case noDevice
    /// An IPsec policy blocks packets.
    case policy
    /// The kernel does not support the destination's family.
    case familyUnsupported
    /// An error that does not concern the destination.
    case trouble
  }
}

extension RouteAnswer {
  /// Returns the answer with a source that the kernel did not choose.
  func from(_ source: IPAddress) -> RouteAnswer {
    guard case .route(var reply) = self else { return self }
    reply.source = source
    return .route(reply)
  }

  /// Whether packets go to all hosts on a link.
  var isBroadcast: Bool {
    if case .route(let reply) = self { reply.kind == .broadcast } else { false }
  }

  /// Whether packets leave by a next hop, whatever the address.
  var isUnicast: Bool {
    if case .route(let reply) = self { reply.kind == .unicast } else { false }
  }
}
