import CommandLineSupport
import ReachabilityKit

extension JSONObject {
  /// Creates the line about the status of a target.
  init(
    _ target: String, _ status: ReachabilityStatus, as event: RecordSchema.Event,
    previous: ReachabilityStatus? = nil, at time: LineTime
  ) {
    self.init(at: time)
    add(.target, target)
    add(status)
    add(
      .addresses,
      status.addresses.map { address in
        var object = JSONObject()
        object.add("address", address.description)
        object.add(address.status)
        return object
      })
    add(event: event)
    add("previous", previous?.state.rawValue)
  }

  /// Creates the line about the evidence of whether a target answers.
  init(_ target: String, _ evidence: TrafficEvidence, at time: LineTime) {
    self.init(at: time)
    add(.target, target)
    add("evidence", evidence.jsonObject)
    add(event: .evidence)
  }

  /// Adds the members of a status, except for the addresses of a host.
  private mutating func add(_ status: ReachabilityStatus) {
    add(.status, status.state.rawValue)
    add(.reason, status.reason?.rawValue)
    add("flags", status.flags.names)
    add("flagsValue", Int(status.flags.rawValue))
    add(.interface, status.interface?.name)
    add("kind", status.interface?.kind.rawValue)
    add("isTunnel", status.interface?.isTunnel ?? false)
    add("linkType", status.interface?.linkType)
    add(.gateway, status.gateway?.description)
    add("source", status.source?.description)
    if !status.underlays.isEmpty { add("underlays", status.underlays.map(\.jsonObject)) }
  }
}

extension ReachabilityStatus.Underlay {
  var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("remote", remote.description)
    object.add(.interface, interface?.name)
    object.add("kind", interface?.kind.rawValue)
    object.add("isTunnel", interface?.isTunnel ?? false)
    object.add("linkType", interface?.linkType)
    object.add(.gateway, gateway?.description)
    object.add("source", source?.description)
    return object
  }
}

extension JSONObject {
  /// Creates the line about a path, with its evidence if there is any.
  init(
    _ path: ReachabilityPath, as event: RecordSchema.Event, evidence: PathEvidence? = nil, at time: LineTime
  ) {
    self.init(at: time)
    add(.path, path.status.rawValue)
    add(.reason, path.reason?.rawValue)
    add(
      .interfaces,
      path.interfaces.enumerated().map { position, interface in
        var object = interface.jsonObject
        if let evidence { object.add("evidence", evidence.interfaces[position].jsonObject) }
        return object
      })
    add(.unusableInterfaces, path.unusableInterfaces.map(\.jsonObject))
    add(.gateways, path.gateways.map(\.description))
    add("supportsIPv4", path.supportsIPv4)
    add("reasonAgainstIPv4", path.reasonAgainstIPv4?.rawValue)
    add("supportsIPv6", path.supportsIPv6)
    add("reasonAgainstIPv6", path.reasonAgainstIPv6?.rawValue)
    add("supportsDNS", path.supportsDNS)
    add("nameServers", path.nameServers.map(\.jsonObject))
    add("isExpensive", path.isExpensive)
    add("isConstrained", path.isConstrained)
    if let evidence { add("evidence", evidence.path.jsonObject) }
    add(event: event)
  }
}

extension ReachabilityInterface {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add(.name, name)
    object.add("index", index)
    object.add("kind", kind.rawValue)
    object.add("isTunnel", isTunnel)
    object.add("linkType", linkType)
    return object
  }
}

extension ReachabilityPath.Interface {
  fileprivate var jsonObject: JSONObject {
    var object = interface.jsonObject
    object.add("mtu", mtu)
    object.add(.addresses, addresses.map(\.description))
    object.add(.gateways, gateways.map(\.description))
    object.add("supportsIPv4", supportsIPv4)
    object.add("supportsIPv6", supportsIPv6)
    object.add("isExpensive", isExpensive)
    object.add("lower", lower.map(\.jsonObject))
    if !underlays.isEmpty { object.add("underlays", underlays.map(\.jsonObject)) }
    return object
  }
}

extension ReachabilityPath.UnusableInterface {
  fileprivate var jsonObject: JSONObject {
    var object = interface.jsonObject
    object.add(.reason, reason.rawValue)
    object.add(.addresses, addresses.map(\.description))
    if !underlays.isEmpty { object.add("underlays", underlays.map(\.jsonObject)) }
    return object
  }
}

extension ReachabilityPath.NameServer {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("address", description)
    object.add(.reason, reason?.rawValue)
    return object
  }
}
