import CommandLineSupport
import ReachabilityKit

extension JSONObject {
  /// Creates the line about the status of a target.
  init(
    _ target: String, _ status: ReachabilityStatus, _ event: StatusReport.Event,
    previous: ReachabilityStatus? = nil, at time: LineTime
  ) {
    self.init(at: time)
    add("target", target)
    add(status)
    add(
      "addresses",
      status.addresses.map { address in
        var object = JSONObject()
        object.add("address", address.description)
        object.add(address.status)
        return object
      })
    add("event", event.rawValue)
    add("previous", previous?.state.rawValue)
  }

  /// Creates the line about the evidence of whether a target answers.
  init(_ target: String, _ evidence: TrafficEvidence, at time: LineTime) {
    self.init(at: time)
    add("target", target)
    add("evidence", evidence.jsonObject)
    add("event", StatusReport.Event.evidence.rawValue)
  }

  /// Adds the members of a status, except for the addresses of a host.
  private mutating func add(_ status: ReachabilityStatus) {
    add("status", status.state.rawValue)
    add("reason", status.reason?.rawValue)
    add("flags", status.flags.names)
    add("flagsValue", Int(status.flags.rawValue))
    add("interface", status.interface?.name)
    add("kind", status.interface?.kind.rawValue)
    add("isTunnel", status.interface?.isTunnel ?? false)
    add("linkType", status.interface?.linkType)
    add("gateway", status.gateway?.description)
    add("source", status.source?.description)
    if !status.underlays.isEmpty { add("underlays", status.underlays.map(\.jsonObject)) }
  }
}

extension ReachabilityStatus.Underlay {
  var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("remote", remote.description)
    object.add("interface", interface?.name)
    object.add("kind", interface?.kind.rawValue)
    object.add("isTunnel", interface?.isTunnel ?? false)
    object.add("linkType", interface?.linkType)
    object.add("gateway", gateway?.description)
    object.add("source", source?.description)
    return object
  }
}
