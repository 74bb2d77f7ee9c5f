// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The value of a lane: what a line says about a target, the path or the verification of an endpoint.
struct Observation: Hashable, Sendable {
  /// An interface of a path.
  struct Interface: Hashable, Sendable {
    var name = ""
    /// The raw value of the reason why it is unusable; `nil` if it is usable.
    var reason: String?
    var addresses: [String] = []
    var gateways: [String] = []
  }

  var state = LaneState.unknown
  /// The raw value of the reason.
  var reason: String?
  /// The raw value of the evidence's fault, while connections stall.
  var fault: String?
  /// What a verification found in place of the expected answer.
  var detail: String?
  /// The interface that packets leave by, or would leave by.
  var interface: String?
  var gateway: String?
  /// The interfaces of a path, the usable ones first.
  var interfaces: [Interface] = []
  /// The families of addresses that a path supports.
  var families: Set<ReachabilityAddress.Family> = []
  /// The raw values of the reasons why it does not support the others.
  var familyReasons: [ReachabilityAddress.Family: String] = [:]
}

/// Each different value once, since the lines of a record repeat a few of them.
struct ObservationTable {
  private var values: [Observation] = []
  private var indexes: [Observation: Int32] = [:]

  subscript(_ index: Int32) -> Observation { values[Int(index)] }

  mutating func index(of value: Observation) -> Int32 {
    if let index = indexes[value] { return index }
    let index = Int32(values.count)
    values.append(value)
    indexes[value] = index
    return index
  }
}

/// What tells the lanes of a machine from each other.
struct LaneKey: Hashable, Sendable {
  /// The longest name of a target or endpoint in bytes: a URL that servers accept is hardly longer.
  static let nameLimit = 4096

  var kind: LaneKind
  var name: String

  static let path = LaneKey(kind: .path, name: "path")

  static func family(_ family: ReachabilityAddress.Family) -> LaneKey {
    LaneKey(kind: .family, name: family.description)
  }
}

extension String {
  /// The host of a URL, or the target itself, without the options after it.
  var host: String {
    let host = URLParts(self)?.host ?? prefix { $0 != " " }
    return host.first == "[" ? String(host.dropFirst().prefix { $0 != "]" }) : String(host)
  }
}

/// What a lane is about.
package enum LaneKind: String, Sendable, CaseIterable {
  case path
  case target
  /// Whether anything answers on the way to a target, as far as connections tell: an answering one is reachable.
  case traffic
  /// Whether an endpoint answers as expected: a verified one is reachable.
  case verification
  case interface
  /// Whether the path supports an address family; only of those that it supported at some time.
  case family

  /// The position in ``allCases``: the number in a page.
  var index: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}

/// What a record says about a lane at a moment.
package enum LaneState: String, Sendable, CaseIterable {
  case reachable
  case unreachable
  /// The record was kept, but the status was unknown.
  case unknown
  /// No record was kept: the machine was off, or the recorder was stopped, frozen, or could not write.
  case notMonitored

  /// The position in ``allCases``, by which the page names the state.
  package var index: Int {
    switch self {
    case .reachable: 0
    case .unreachable: 1
    case .unknown: 2
    case .notMonitored: 3
    }
  }

  /// The state in words.
  package func words(for kind: LaneKind) -> String {
    switch self {
    case .reachable where kind == .traffic: "answering"
    case .unreachable where kind == .traffic: "stalled"
    case .reachable where kind == .verification: "verified"
    case .unreachable where kind == .verification: "not verified"
    case .notMonitored: "not monitored"
    case .reachable, .unreachable, .unknown: rawValue
    }
  }
}

/// The words for the raw values of reasons.
enum ReasonText {
  /// The reason of traffic that stalls.
  static let stall = TrafficEvidence.Verdict.stalled.rawValue

  /// The reason in words; the raw value of one that this version does not know.
  static func words(_ reason: String) -> String {
    if reason == stall { return "connections stall: nothing answers" }
    return switch RecordSchema.VerificationOutcome(rawValue: reason) {
    case .captivePortal: "a captive portal answered"
    case .unexpected: "an unexpected answer"
    case .notConnected: "no answer"
    case .refused: "the connection was refused"
    case .timedOut: "no answer in time"
    case .passed, nil: ReachabilityStatus.Reason(rawValue: reason)?.description ?? reason
    }
  }
}
