/// Why a target is not reachable, or why its status is unknown.
///
/// Later versions may add reasons, so a `switch` should have a `default`.
public enum Reason: String, Hashable, Sendable, CaseIterable {
  /// No route leads there (`ENETUNREACH`).
  case noRoute
  /// A route says that the destination is unreachable (`EHOSTUNREACH`).
  case unreachableRoute
  /// A route or rule discards packets silently (`EINVAL`).
  case blackhole
  /// A route or rule prohibits it (`EACCES`).
  case prohibited
  /// The interface is administratively down.
  case interfaceDown
  /// The interface is up, but its lower layer is not: no cable, no access point, no peer.
  case noCarrier
  /// The link waits for an outside event such as authentication or a dial-up peer (RFC 2863, dormant).
  case linkDormant
  /// No local address to send from, or the one asked for is not assigned to this machine.
  case sourceAddressMissing
  /// The interface asked for is not there now (`ENODEV`).
  case interfaceNotFound
  /// A link-local address without a zone could be on any link (`EINVAL` of `connect`).
  case zoneMissing
  /// The status is being found out for the first time.
  case resolving
  /// The operating system could not be asked.
  case systemError
}

extension Reason: CustomStringConvertible {
  /// A few words for people, such as `no carrier`.
  public var description: String {
    switch self {
    case .noRoute: "no route"
    case .unreachableRoute: "a route says unreachable"
    case .blackhole: "a route or rule discards packets"
    case .prohibited: "a route or rule prohibits it"
    case .interfaceDown: "interface down"
    case .noCarrier: "no carrier"
    case .linkDormant: "link dormant"
    case .sourceAddressMissing: "no local address to send from"
    case .interfaceNotFound: "no such interface"
    case .zoneMissing: "a link-local address needs a zone"
    case .resolving: "not known yet"
    case .systemError: "the system could not be asked"
    }
  }
}
