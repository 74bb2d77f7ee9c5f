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
  /// The host's name does not exist (`EAI_NONAME`, DNS `NXDOMAIN`).
  case nameNotFound
  /// The host's name exists, but has no address (`EAI_NODATA`).
  case noAddressRecords
  /// No name server is configured.
  case nameServerNotConfigured
  /// No configured name server can be reached: no packet for it would leave this machine.
  case nameServerUnreachable
  /// A name server could be reached, but refused, or failed itself (`EAI_AGAIN`, `EAI_FAIL`; DNS `SERVFAIL`).
  case nameServerFailed
  /// No name server answered in time (`EAI_AGAIN`).
  case nameResolutionTimedOut
  /// Names can't be resolved in the network namespace that is watched.
  case namesNotResolved
  /// The name is being resolved for the first time.
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
    case .nameNotFound: "no such name"
    case .noAddressRecords: "the name has no address"
    case .nameServerNotConfigured: "no name server is configured"
    case .nameServerUnreachable: "no name server can be reached"
    case .nameServerFailed: "the name server refused or failed"
    case .nameResolutionTimedOut: "no name server answered in time"
    case .namesNotResolved: "names are not resolved in this network namespace"
    case .resolving: "resolving its name"
    case .systemError: "the system could not be asked"
    }
  }
}
