// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The lines of `--json` and of records: the members that the library encodes, with a time and an event.
extension JSONObject {
  /// Creates the line about the status of a target.
  init(
    _ target: String, _ status: ReachabilityStatus, as event: RecordSchema.Event,
    previous: ReachabilityStatus? = nil, families: [FamilyStatus] = [],
    connection: ReachabilityConnectionReport? = nil, at time: LineTime
  ) {
    self.init(at: time)
    add { try status.encode(to: $0, of: target, previous: previous) }
    if !families.isEmpty { add(JSONKey.families, encoding: families) }
    if let connection { add(JSONKey.connection, encoding: connection) }
    add(event: event)
  }

  /// Creates the line about the evidence of whether a target answers.
  init(_ target: String, _ evidence: TrafficEvidence, at time: LineTime) {
    self.init(at: time)
    add(.target, target)
    add(JSONKey.evidence, encoding: evidence)
    add(event: .evidence)
  }

  /// Creates the line about a path, with its evidence if there is any.
  init(
    _ path: ReachabilityPath, as event: RecordSchema.Event, evidence: PathEvidence? = nil, at time: LineTime
  ) {
    self.init(at: time)
    if let evidence {
      let interfaces = zip(path.interfaces, evidence.interfaces).map(InterfaceWithEvidence.init)
      add { try path.encode(to: $0, interfaces: interfaces) }
      add(JSONKey.evidence, encoding: evidence.path)
    } else {
      add(path.encode)
    }
    add(event: event)
  }

  /// Creates the line about an explanation.
  ///
  /// - Parameter repairs: The commands that were tried in copies of the network; `nil` if none was to be tried.
  init(
    _ target: String, _ explanation: ReachabilityExplanation, repairs: [RepairReport.Repair]? = nil,
    at time: LineTime
  ) {
    self.init(at: time)
    add { try explanation.encode(to: $0, of: target) }
    add("repairs", repairs?.map(\.jsonObject))
    add(event: .explain)
  }
}

/// The status of the default route over one address family.
struct FamilyStatus: Encodable {
  var family: ReachabilityAddress.Family?
  var status: ReachabilityStatus

  /// Evaluates a target of one family.
  init(of target: ReachabilityTarget, in monitor: ReachabilityMonitor) {
    (family, status) = (target.family, monitor.currentStatus(of: target))
  }

  func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(family?.description, forKey: .family)
    try status.encodeRoute(to: encoder)
  }
}

private struct InterfaceWithEvidence: Encodable {
  var interface: ReachabilityPath.Interface
  var evidence: TrafficEvidence

  func encode(to encoder: any Encoder) throws {
    try interface.encode(to: encoder)
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(evidence, forKey: .evidence)
  }
}
