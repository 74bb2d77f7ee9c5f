#if os(Linux)
import Netlink

extension LinkState {
  /// Converts a message, of which a partial one changes nothing but the name.
  ///
  /// Returns `nil` without a name or an index, which every link has.
  ///
  /// - Parameter kind: The kind of a link whose message leaves it open; see ``DeviceFindings``.
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

extension LinkState.Condition {
  /// Converts flags and operational state: a link is up if both are, or if the state is unknown and there is a carrier.
  ///
  /// The kernel does not know a bridge's state before its first port, and until then no packet leaves by the bridge.
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
