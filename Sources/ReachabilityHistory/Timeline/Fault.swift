import ReachabilityKit

/// Where the fault of an outage lies, as far as its reason says.
package enum Fault: String, Sendable {
  case link
  case machine
  case routing
  case policy
  case nameServer
  case name
  case portal
  case server

  /// The fault that a reason points to; `nil` for a reason that points nowhere, or that this version does not know.
  init?(reason: String) {
    // Those of verifications.
    switch reason {
    case "captivePortal":
      self = .portal
      return
    case "unexpected":
      self = .server
      return
    default: break
    }
    switch ReachabilityStatus.Reason(rawValue: reason) {
    case .noCarrier, .linkDormant: self = .link
    case .interfaceDown, .interfaceNotFound: self = .machine
    case .noRoute, .sourceAddressMissing, .tunnelLoop: self = .routing
    case .unreachableRoute, .blackhole, .prohibited, .blockedByIPsec: self = .policy
    case .nameServerNotConfigured, .nameServerUnreachable, .nameServerFailed, .nameResolutionTimedOut:
      self = .nameServer
    case .nameNotFound, .noAddressRecords: self = .name
    default: return nil
    }
  }

  /// The fault in words.
  package var text: String {
    switch self {
    case .link: "the link: the cable, the access point, or its other end"
    case .machine: "this machine: the interface was switched off or removed"
    case .routing: "this machine's addresses and routes, or what assigns them"
    case .policy: "a route, rule or IPsec policy of this machine, which rejects the packets"
    case .nameServer: "the name servers, or the path to them"
    case .name: "the name: DNS has no address for it"
    case .portal: "the network: its captive portal requires a login"
    case .server: "the server, or what answers in its place"
    }
  }
}
