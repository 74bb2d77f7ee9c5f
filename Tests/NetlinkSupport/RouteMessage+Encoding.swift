// SPDX-License-Identifier: Apache-2.0
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
    if let sourceNetwork { encoder.attribute(RouteAttribute.source, address: sourceNetwork) }
    if let interface { encoder.attribute(RouteAttribute.outputInterface, integer: interface) }
    if let gateway { encoder.appendGateway(gateway, family: family) }
    if let preferredSource { encoder.attribute(RouteAttribute.preferredSource, address: preferredSource) }
    if let priority { encoder.attribute(RouteAttribute.priority, integer: priority) }
    if let nextHopID { encoder.attribute(RouteAttribute.nextHopID, integer: nextHopID) }
    if expires != 0 {
      encoder.attribute(RouteAttribute.cacheInfo) {
        $0.appendZeros(8)
        $0.append(expires)
        $0.appendZeros(20)
      }
    }
    if !nextHops.isEmpty {
      encoder.attribute(RouteAttribute.multipath) { nested in
        for hop in nextHops { hop.encode(into: &nested, family: family) }
      }
    }
    encapsulation?.encode(into: &encoder)
  }
}

extension NextHop {
  fileprivate func encode(into encoder: inout MessageEncoder, family: AddressFamily) {
    var own = MessageEncoder()
    if let gateway { own.appendGateway(gateway, family: family) }
    encoder.append(UInt16(8 + own.bytes.count))
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(weight)
    encoder.append(interface)
    encoder.append(own)
  }
}

extension Encapsulation {
  /// Appends `RTA_ENCAP` and `RTA_ENCAP_TYPE`; of segments, only the first one.
  fileprivate func encode(into encoder: inout MessageEncoder) {
    switch self {
    case .segment(let address):
      encoder.attribute(RouteAttribute.encapsulation) { $0.appendHeader(mode: 1, [address]) }
    case .frames: encoder.attribute(RouteAttribute.encapsulation) { $0.appendHeader(mode: 2, []) }
    case .other(let type): return encoder.attribute(RouteAttribute.encapsulationType, integer: type)
    }
    encoder.attribute(RouteAttribute.encapsulationType, integer: UInt16(5))
  }
}

extension MessageEncoder {
  /// Appends `SEG6_IPTUNNEL_SRH`; ``Encapsulation`` has the drawing.
  fileprivate mutating func appendHeader(mode: UInt32, _ segments: [ReachabilityAddress]) {
    attribute(1) { header in
      header.append(mode)
      header.appendZeros(8)
      for segment in segments { header.append(segment) }
    }
  }

  /// Appends the gateway as `RTA_GATEWAY`, or as `RTA_VIA` if its family is not the route's.
  fileprivate mutating func appendGateway(_ gateway: ReachabilityAddress, family: AddressFamily) {
    let gatewayFamily: AddressFamily = gateway.bitWidth == 32 ? .ipv4 : .ipv6
    guard family != gatewayFamily else { return attribute(RouteAttribute.gateway, address: gateway) }
    attribute(RouteAttribute.via) {
      $0.append(UInt16(gatewayFamily.rawValue))
      $0.append(gateway)
    }
  }
}

extension RouteMessage {
  /// The answer to a lookup, or the entry that matches it.
  ///
  /// - Parameter lifetime: The lifetime as ``lifetime`` reports it, 20 ms longer than the kernel's.
  package init(
    _ kind: RouteKind = .unicast, interface: Int32? = nil, gateway: ReachabilityAddress? = nil,
    source: ReachabilityAddress? = nil, table: UInt32 = 254, prefixLength: Int = 0, metric: UInt32? = nil,
    isDown: Bool = false, nextHops: [NextHop] = [], lifetime: Duration? = nil,
    encapsulation: Encapsulation? = nil
  ) {
    self.init()
    self.kind = kind
    self.interface = interface
    self.gateway = gateway
    preferredSource = source
    self.table = table
    destinationLength = UInt8(prefixLength)
    priority = metric
    if isDown { flags = .linkDown }
    self.nextHops = nextHops
    if let lifetime { expires = Int32((lifetime - .milliseconds(20)) / .milliseconds(10)) }
    self.encapsulation = encapsulation
  }
}

extension NextHop {
  package init(interface: Int32, gateway: ReachabilityAddress?, isDown: Bool) {
    self.init()
    self.interface = interface
    self.gateway = gateway
    if isDown { flags = .linkDown }
  }
}
#endif
