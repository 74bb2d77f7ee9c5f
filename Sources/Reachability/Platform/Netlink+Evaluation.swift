#if os(Linux)
import Netlink

extension RouteRequest {
  /// The request for the answer to a question.
  init(_ question: RouteQuestion) {
    self.init(
      question.destination, source: question.source, outputInterface: question.interface, mark: question.mark,
      // Without the first flag the kernel reports a table of its own invention for IPv4.
      flags: question.isExact ? [.lookupTable, .exactMatch] : .lookupTable)
  }
}

extension RouteAnswer {
  init(_ result: Result<RouteMessage, Errno>) {
    switch result {
    case .failure(let error): self = .refused(Refusal(error))
    case .success(let message):
      guard let reply = RouteReply(message) else {
        self = .refused(Refusal(message.kind))
        return
      }
      self = .route(reply)
    }
  }
}

extension RouteAnswer.Refusal {
  init(_ error: Errno) {
    switch error {
    case .networkUnreachable: self = .networkUnreachable
    case .hostUnreachable: self = .hostUnreachable
    case .invalidArgument: self = .invalid
    case .accessDenied: self = .accessDenied
    case .noDevice: self = .noDevice
    default: self = .trouble
    }
  }

  /// What a route does whose kind is no way to send; the kernel mostly answers these with an error.
  init(_ kind: RouteKind) {
    switch kind {
    case .blackhole: self = .invalid
    case .unreachable: self = .hostUnreachable
    case .prohibit: self = .accessDenied
    case .throw: self = .networkUnreachable
    default: self = .trouble
    }
  }
}

extension RouteReply {
  init?(_ message: RouteMessage) {
    let kind: Kind
    switch message.kind {
    case .unicast: kind = .unicast
    case .local: kind = .local
    case .broadcast: kind = .broadcast
    case .anycast: kind = .anycast
    case .multicast: kind = .multicast
    default: return nil
    }
    self.init(
      kind, interface: message.outputInterface, gateway: message.gateway, source: message.preferredSource,
      table: message.table, prefixLength: Int(message.destinationLength),
      isDown: message.flags.isDown,
      nextHops: message.nextHops.map {
        NextHop(interface: $0.outputInterface, gateway: $0.gateway, isDown: $0.flags.isDown)
      },
      lifetime: message.lifetime)
  }
}

extension RouteFlags {
  fileprivate var isDown: Bool { contains(.linkDown) || contains(.dead) }
}

extension RouteMessage {
  /// How long the route still lives.
  ///
  /// The kernel counts in hundredths of a second and rounds down; a little more makes sure that the route is gone.
  fileprivate var lifetime: Duration? {
    guard let expires = cacheInfo?.expires, expires > 0 else { return nil }
    return .milliseconds(Int64(expires) * 10 + 20)
  }
}

extension AssignedAddress {
  init?(_ message: AddressMessage) {
    guard let own = message.own,
      // On a point-to-point link the prefix is the other end's.
      let prefix = IPPrefix(message.address ?? own, length: Int(message.prefixLength))
    else { return nil }
    self.init(address: own, prefix: prefix, flags: message.flags.rawValue)
  }
}

extension LinkState {
  /// Reads a link's state; what the message leaves out is as it was.
  ///
  /// Returns `nil` for a message about a link that has no name, which none has.
  init?(_ message: LinkMessage, since old: LinkState?) {
    guard let name = message.name ?? old?.name, message.index > 0 else { return nil }
    let character = LinkCharacter(message)
    let interface = NetworkInterface(
      name: name, index: Int(message.index), kind: character.kind, isTunnel: character.isTunnel)
    self.init(
      interface, condition: Condition(message), isPointToPoint: message.flags.contains(.pointToPoint),
      isTransient: character.isTransient)
  }
}

extension LinkState.Condition {
  /// A link is up when it is administratively up and its operational state is up, or unknown with a carrier.
  init(_ message: LinkMessage) {
    guard message.flags.contains(.up) else {
      self = .down
      return
    }
    switch message.operationalState ?? .unknown {
    case .up: self = .up
    case .unknown: self = message.flags.contains(.lowerUp) ? .up : .noCarrier
    case .dormant: self = .dormant
    default: self = .noCarrier
    }
  }
}
#endif
