#if os(Linux)
import Netlink
import POSIX

extension RouteRequest {
  /// The request for the answer to a question.
  ///
  /// - Parameter userID: The user whom the packets belong to, if it is not the real one of this process.
  init(_ question: RouteQuestion, of userID: UInt32?) {
    self.init(
      question.destination, source: question.source, outputInterface: question.interface, mark: question.mark,
      userID: userID, protocolNumber: question.transport?.protocolNumber ?? question.flow?.protocolNumber,
      sourcePort: question.flow?.sourcePort, destinationPort: question.port,
      // Without the first flag the kernel reports a table of its own invention for IPv4.
      flags: question.isExact ? [.lookupTable, .exactMatch] : .lookupTable)
  }
}

extension ReachabilityTarget.Transport {
  /// The number of the protocol above IP: `IPPROTO_TCP`, `IPPROTO_UDP`.
  var protocolNumber: UInt8 {
    switch self {
    case .tcp: 6
    case .udp: 17
    }
  }
}

/// One of several connections.
extension UInt8 {
  /// TCP and UDP take turns: `IPPROTO_TCP`, `IPPROTO_UDP`.
  fileprivate var protocolNumber: UInt8 { isMultiple(of: 2) ? 6 : 17 }
  /// One of the ports that the kernel gives to sockets by itself, by default.
  fileprivate var sourcePort: UInt16 { 32768 + UInt16(self) * 97 }
}

extension RouteAnswer {
  init(_ result: consuming Result<LookupReply, Errno>) {
    switch result {
    case .success(let message):
      self = RouteReply(message).map { .route($0) } ?? .refused(Refusal(message.kind))
    case .failure(let error):
      self = .refused(Refusal(error))
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
    case .notSupported, .familyNotSupported: self = .familyUnsupported
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
  /// Returns `nil` for routes that send no packets.
  init?(_ message: consuming LookupReply) {
    guard let kind = Kind(message.kind) else { return nil }
    self.kind = kind
    interface = message.outputInterface
    gateway = message.gateway
    source = message.preferredSource
    table = message.table
    prefixLength = Int(message.destinationLength)
    metric = message.priority
    isDown = message.flags.isDown
    nextHops = []
    if !message.nextHops.isEmpty {
      nextHops = message.nextHops.map {
        NextHop(interface: $0.outputInterface, gateway: $0.gateway, isDown: $0.flags.isDown)
      }
    }
    // The kernel counts in hundredths of a second and rounds down; a little more makes sure that the route is gone.
    if message.expires > 0 { lifetime = .milliseconds(Int64(message.expires) * 10 + 20) }
  }
}

extension RouteReply.Kind {
  fileprivate init?(_ kind: RouteKind) {
    switch kind {
    case .unicast: self = .unicast
    case .local: self = .local
    case .broadcast: self = .broadcast
    case .anycast: self = .anycast
    case .multicast: self = .multicast
    default: return nil
    }
  }
}

extension RouteFlags {
  fileprivate var isDown: Bool { contains(.linkDown) || contains(.dead) }
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

extension RuleMessage {
  /// Whether the rule is for all packets that it is not for, `FIB_RULE_INVERT`.
  var isInverted: Bool { flags & 2 != 0 }
}

extension SourceRule {
  /// Returns `nil` for rules that don't ask where packets come from.
  init?(_ message: RuleMessage) {
    guard let source = message.source, let prefix = IPPrefix(source, length: Int(message.sourceLength)) else {
      return nil
    }
    self.init(
      prefix, isInverted: message.isInverted,
      refuses: [.blackhole, .unreachable, .prohibit].contains(message.action))
  }

  /// What stands for a rule that cannot be read: it may ask for any source.
  static func unreadable(_ family: AddressFamily) -> SourceRule? {
    IPPrefix(family == .ipv4 ? "0.0.0.0" : "::", length: 0).map { SourceRule($0) }
  }
}

extension LinkState {
  /// Reads a link's state.
  ///
  /// A message without an operational state is partial: all but the name is as it was. Returns `nil` for a message
  /// about a link that has no name, which none has.
  ///
  /// - Parameter kind: What was found out of a link whose message leaves that open.
  init?(_ message: LinkMessage, since old: LinkState?, kind: ReachabilityInterface.Kind? = nil) {
    guard let name = message.name ?? old?.names[0], message.index > 0 else { return nil }
    if var old, message.isPartial {
      old.interface.name = name.text
      old.nameBeyondText = name.isText ? nil : name
      self = old
      return
    }
    let character = kind.map { LinkCharacter($0, isTransient: $0 == .cellular) } ?? LinkCharacter(message)
    let interface = ReachabilityInterface(
      name: name.text, index: Int(message.index), kind: character.kind, isTunnel: character.isTunnel,
      linkType: message.kind)
    self.init(
      interface, alternativeNames: message.alternativeNames, condition: Condition(message),
      isPointToPoint: message.flags.contains(.pointToPoint),
      isTransient: character.isTransient, master: message.master, lower: message.lowerHere,
      foundation: LinkFoundation(message), mtu: message.mtu ?? old?.mtu ?? 0)
    nameBeyondText = name.isText ? nil : name
  }
}

extension LinkMessage {
  /// Whether the message leaves out nearly all of the link, as wireless events do.
  var isPartial: Bool { isWirelessEvent || operationalState == nil }
}

extension LinkState.Condition {
  /// A link is up when it is administratively up and its operational state is up, or unknown with a carrier.
  ///
  /// Of a bridge, the kernel knows the state from its first port on. Until then nothing leaves by it.
  init(_ message: LinkMessage) {
    guard message.flags.contains(.up) else {
      self = .down
      return
    }
    switch message.operationalState ?? .unknown {
    case .up: self = .up
    case .unknown where message.kind == "bridge": self = .noCarrier
    case .unknown: self = message.flags.contains(.lowerUp) ? .up : .noCarrier
    case .dormant: self = .dormant
    default: self = .noCarrier
    }
  }
}
#endif
