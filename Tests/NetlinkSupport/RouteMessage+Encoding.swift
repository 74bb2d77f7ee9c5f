#if os(Linux)
import InternetProtocol
import Netlink

extension RouteMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(destinationLength)
    encoder.append(sourceLength)
    encoder.append(typeOfService)
    encoder.appendTable(table)
    encoder.append(origin)
    encoder.append(scope)
    encoder.append(kind.rawValue)
    encoder.append(flags.rawValue)
    // A strict kernel refuses the attribute in a lookup, and a request without a table needs none.
    if table != 0 { encoder.attribute(RouteAttribute.table, integer: table) }
    if let destination { encoder.attribute(RouteAttribute.destination, address: destination) }
    if let source { encoder.attribute(RouteAttribute.source, address: source) }
    if let inputInterface { encoder.attribute(RouteAttribute.inputInterface, integer: inputInterface) }
    if let outputInterface { encoder.attribute(RouteAttribute.outputInterface, integer: outputInterface) }
    if let gateway { encoder.appendGateway(gateway, family: family) }
    if let preferredSource { encoder.attribute(RouteAttribute.preferredSource, address: preferredSource) }
    if let priority { encoder.attribute(RouteAttribute.priority, integer: priority) }
    if let mark { encoder.attribute(RouteAttribute.mark, integer: mark) }
    if let userID { encoder.attribute(RouteAttribute.userID, integer: userID) }
    if let nextHopID { encoder.attribute(RouteAttribute.nextHopID, integer: nextHopID) }
    if let cacheInfo { encoder.attribute(RouteAttribute.cacheInfo) { cacheInfo.encode(into: &$0) } }
    if !nextHops.isEmpty {
      encoder.attribute(RouteAttribute.multipath) { nested in
        for hop in nextHops { hop.encode(into: &nested, family: family) }
      }
    }
    encoder.append(unknown)
  }
}

extension NextHop {
  fileprivate func encode(into encoder: inout MessageEncoder, family: AddressFamily) {
    var own = MessageEncoder()
    if let gateway { own.appendGateway(gateway, family: family) }
    own.append(unknown)
    encoder.append(UInt16(8 + own.bytes.count))
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(weight)
    encoder.append(outputInterface)
    encoder.append(own)
  }
}

extension CacheInfo {
  fileprivate func encode(into encoder: inout MessageEncoder) {
    encoder.append(references)
    encoder.append(lastUse)
    encoder.append(expires)
    encoder.append(error)
    encoder.append(used)
    encoder.append(identifier)
    encoder.append(timestamp)
    encoder.append(timestampAge)
  }
}

extension MessageEncoder {
  /// Appends the gateway as `RTA_GATEWAY`, or as `RTA_VIA` if its family is not the route's.
  fileprivate mutating func appendGateway(_ gateway: IPAddress, family: AddressFamily) {
    let gatewayFamily: AddressFamily = gateway.bitWidth == 32 ? .ipv4 : .ipv6
    guard family != gatewayFamily else { return attribute(RouteAttribute.gateway, address: gateway) }
    attribute(RouteAttribute.via) {
      $0.append(UInt16(gatewayFamily.rawValue))
      $0.append(gateway)
    }
  }
}
#endif
