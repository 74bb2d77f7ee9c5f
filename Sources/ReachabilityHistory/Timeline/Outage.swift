// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// A time without a moment of connectivity, in microseconds since 1970.
struct Outage: Equatable {
  /// The position of its first segment in the track.
  var segment: Int
  var start: Int
  var end: Int
  /// Whether it began before the period.
  var isCut: Bool
  /// Whether nothing was monitored directly before it.
  var followsGap: Bool
  /// Whether nothing was monitored directly after it.
  var precedesGap = false
  /// Whether it lasts until the end of the period.
  var isOpen = false
  /// The milliseconds within it that the record does not show.
  var gap = 0

  /// The length in milliseconds, as steps show it: without the gap.
  var duration: Int { end.milliseconds - start.milliseconds - gap }

  /// Whether it is what others, which are in order, mean for one family of addresses.
  ///
  /// Families fail and return at slightly different moments.
  ///
  /// - Parameter limit: The time that it may last beyond them, in microseconds.
  func isPart(of others: [Outage], upTo limit: Int) -> Bool {
    var (low, high) = (0, others.count)
    while low < high {
      let middle = (low + high) / 2
      if others[middle].end >= start - limit { high = middle } else { low = middle + 1 }
    }
    let near = others[low...].prefix { $0.start <= end + limit }
    let common = near.reduce(0) { $0 + max(min(end, $1.end) - max(start, $1.start), 0) }
    return !near.isEmpty && end - start - common <= limit
  }
}

/// One outage of a lane, or several that follow each other at short intervals.
package struct Incident: Equatable, Sendable {
  /// The position of the lane in ``History/lanes``.
  package var lane: Int
  /// The beginning, in milliseconds since 1970.
  package var start: Int
  /// The end; `nil` if the lane is unreachable at the end of the period.
  package var end: Int?
  /// The raw value of the first reason.
  package var reason: String?
  package var cause = Cause()
  /// The number of outages.
  package var flaps = 1
  /// Whether the record shows the end; otherwise nothing was monitored after it.
  package var isEndRecorded = true
  /// The time without connectivity, in milliseconds: that between the flaps does not count.
  package var duration = 0
  /// The time within its outages that the record does not show, in milliseconds, as while the recorder was restarted.
  package var gap = 0

  /// The fault that the evidence of connections names during the incident.
  var evidenceFault: Fault?
  /// The family of addresses that the path lost at the beginning, while it kept the other one.
  var lostFamily: ReachabilityAddress.Family?

  /// Where the fault lies, as far as the reason says, or else the evidence.
  package var fault: Fault? { reason.flatMap(Fault.init(reason:)) ?? evidenceFault }
}

/// Where the fault of an outage lies, as far as its reason or the evidence of connections says.
package enum Fault: String, Sendable {
  case link
  case machine
  case routing
  case policy
  case nameServer
  case name
  case portal
  case server
  // Those of evidence, by the same names.
  case thisMachine
  case network
  case peer
  case connection

  /// The fault that evidence names; `nil` if it names none.
  init?(evidence fault: String) {
    switch TrafficEvidence.Fault(rawValue: fault) {
    case .thisMachine: self = .thisMachine
    case .network: self = .network
    case .peer: self = .peer
    case .connection: self = .connection
    default: return nil
    }
  }

  /// The fault that a reason points to; `nil` for a reason that points nowhere, or that this version does not know.
  init?(reason: String) {
    switch RecordSchema.VerificationOutcome(rawValue: reason) {
    case .captivePortal:
      self = .portal
      return
    case .unexpected, .refused:
      self = .server
      return
    case .passed, .notConnected, .timedOut, nil: break
    }
    switch ReachabilityStatus.Reason(rawValue: reason)?.value {
    case .noCarrier, .linkDormant: self = .link
    case .interfaceDown, .interfaceNotFound: self = .machine
    case .noRoute, .sourceAddressMissing, .tunnelLoop: self = .routing
    case .unreachableRoute, .blackhole, .prohibited, .blockedByIPsec: self = .policy
    case .nameServerNotConfigured, .nameServerUnreachable, .nameServerFailed, .nameResolutionTimedOut:
      self = .nameServer
    case .nameNotFound, .noAddressRecords: self = .name
    case .encapsulated, .zoneMissing, .notUnicast, .namesNotResolved, .resolving, .systemError, nil:
      return nil
    }
  }

  /// The faults, of which the first one counts where the lanes of an event have several.
  ///
  /// What the kernel reports is certain; what connections show tells more than a route that is missing.
  static let byWeight: [Fault] = [
    .link, .machine, .policy, .thisMachine, .network, .portal, .routing, .nameServer, .name, .server, .peer,
    .connection,
  ]

  /// The side that has to be repaired.
  package enum Side: String, Sendable {
    case thisMachine
    case uplink
    case server
    case names
  }

  /// The side; `nil` if only connections are affected, and for routes, which the network may have withdrawn.
  package var side: Side? {
    switch self {
    case .machine, .policy, .thisMachine: .thisMachine
    case .link, .network, .portal: .uplink
    case .server, .peer: .server
    case .nameServer, .name: .names
    case .routing, .connection: nil
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
    case .thisMachine:
      "this machine: a firewall's output rule, a traffic filter, a security policy or a full queue stops packets"
    case .network: "the network: several peers stall, and none on the same path answers"
    case .peer: "the peer, or the way behind the common path: other peers answer"
    case .connection: "these connections: their peers answer others"
    }
  }
}
