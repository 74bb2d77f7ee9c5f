// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension RouteRequest {
  /// Creates the query for the packets that a connection to a target would send to an address.
  init(
    _ destination: ReachabilityAddress, for target: ReachabilityTarget, over interface: Int32? = nil
  ) {
    self.init(
      destination, source: target.source, interface: interface, mark: target.mark,
      protocolNumber: target.effectiveTransport?.protocolNumber, destinationPort: target.port)
  }

  /// Creates the query for the packets that a tunnel makes; `nil` for links that are no tunnels, and for tunnels
  /// without one fixed remote.
  init?(tunnel message: LinkMessage) {
    guard let header = message.tunnelHeader else { return nil }
    self.init(
      header.remote, source: header.local, interface: header.lower, mark: header.mark,
      protocolNumber: header.port == nil ? nil : ReachabilityTarget.Transport.udp.protocolNumber,
      destinationPort: header.port, sender: .tunnel)
  }

  /// The protocol of the packets, which rules may match and the choice of a next hop may depend on.
  ///
  /// Without a number, it is TCP, with which nearly all programs connect, or UDP where TCP connects to nothing. The
  /// kernel's own defaults differ: UDP for IPv4, and none for IPv6.
  var transport: ReachabilityTarget.Transport {
    givenTransport ?? (destination.isForDatagramsOnly ? .udp : .tcp)
  }

  /// The protocol of the packets, if the query names it.
  var givenTransport: ReachabilityTarget.Transport? {
    protocolNumber.flatMap(ReachabilityTarget.Transport.init(protocolNumber:))
  }

  /// Whether the protocol of the packets is unknown: that of a tunnel which is not UDP.
  var hasOtherProtocol: Bool { sender == .tunnel && protocolNumber == nil }

  /// Returns the query as the kernel receives it, with the owner of the packets and their protocol.
  ///
  /// - Parameter user: The user that the process's packets belong to, unless it is the real user.
  func completed(for user: UInt32?) -> RouteRequest {
    var request = self
    request.userID = user
    switch sender {
    case .process: request.protocolNumber = transport.protocolNumber
    case .tunnel:
      // The packets of tunnels are the kernel's own.
      request.userID = 0
      // The kernel cannot be asked about the protocols of tunnels, and takes UDP for IPv4 by default: `IPPROTO_ICMP`
      // meets the rules for neither TCP nor UDP.
      if protocolNumber == nil, destination.bitWidth == 32 { request.protocolNumber = 1 }
    case .encapsulation:
      if user != nil { request.userID = 0 }
    }
    return request
  }

  // MARK: The same packets in other respects

  /// The same query for the matching entry.
  package var exact: RouteRequest {
    var request = self
    request.form = .entry
    return request
  }

  /// The query for the source of a socket; nothing else of its answer counts.
  package var sourceChoice: RouteRequest {
    var request = self
    request.form = .source
    return request
  }

  /// The query whether an IPsec policy blocks the packets.
  package var policyCheck: RouteRequest {
    var request = self
    request.form = .policy
    return request
  }

  /// Returns the same query for packets of one of several connections, which differ in their local port.
  ///
  /// The port is one of the kernel's default range for ephemeral ports.
  package func inFlow(_ number: UInt8) -> RouteRequest {
    var request = self
    request.sourcePort = 32768 + UInt16(number) * 97
    return request
  }

  /// Returns the query for the packets into which a route wraps those of this one; `nil` if it did so too often.
  package func towards(_ segment: ReachabilityAddress) -> RouteRequest? {
    var depth: UInt8 = 1
    if case .encapsulation(let outer) = sender { depth = outer + 1 }
    guard depth <= Self.encapsulationLimit else { return nil }
    return RouteRequest(segment, mark: mark, sender: .encapsulation(depth: depth))
  }

  /// Few networks nest tunnels, and none can be followed that leads into itself.
  private static var encapsulationLimit: UInt8 { 3 }

  /// Returns the same query for packets of a protocol.
  package func over(_ transport: ReachabilityTarget.Transport) -> RouteRequest {
    var request = self
    request.protocolNumber = transport.protocolNumber
    return request
  }

  /// Returns the same query for packets from another source, or from the kernel's choice.
  package func from(_ source: ReachabilityAddress?) -> RouteRequest {
    var request = self
    request.source = source
    return request
  }
}

extension ReachabilityTarget.Transport {
  /// The number of the protocol: `IPPROTO_TCP` or `IPPROTO_UDP`.
  var protocolNumber: UInt8 {
    switch self {
    case .tcp: 6
    case .udp: 17
    }
  }

  init?(protocolNumber: UInt8) {
    switch protocolNumber {
    case 6: self = .tcp
    case 17: self = .udp
    default: return nil
    }
  }
}
#endif
