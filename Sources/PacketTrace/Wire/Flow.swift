// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// The packets of one socket: protocol, addresses and ports.
package struct Flow: Equatable, Sendable {
  /// The protocols that can be probed; a raw value is the number in a header of IP.
  package enum Transport: UInt8, CaseIterable, Sendable {
    case tcp = 6
    case udp = 17

    package var word: String { "\(self)" }
  }

  package var transport: Transport
  package var remote: ReachabilityAddress
  package var remotePort: UInt16
  /// The address of the socket; `nil` before the kernel has chosen it.
  package var local: ReachabilityAddress?
  /// The port of the socket, which no other socket has.
  package var localPort: UInt16

  package init(
    _ transport: Transport, to remote: ReachabilityAddress, port remotePort: UInt16,
    from local: ReachabilityAddress? = nil, localPort: UInt16
  ) {
    self.transport = transport
    self.remote = remote
    self.remotePort = remotePort
    self.local = local
    self.localPort = localPort
  }

  /// What the headers of a packet say about its relation to the flow.
  package struct Match: Equatable, Sendable {
    package var isOutgoing: Bool
    /// Whether addresses and ports are the flow's; otherwise NAT has replaced one end, or the packet is another's.
    package var isExact: Bool
  }

  /// Returns the relation of a packet to the flow; `nil` if it has none.
  ///
  /// - Parameters:
  ///   - networkHeader: The header of IPv4 or IPv6, at least up to its addresses.
  ///   - transportHeader: The header of TCP or UDP, at least its ports.
  package func match(_ networkHeader: [UInt8], _ transportHeader: [UInt8]) -> Match? {
    guard let packet = Packet(networkHeader, transportHeader), packet.transport == transport.rawValue else {
      return nil
    }
    func isOwn(_ address: ReachabilityAddress?, _ port: UInt16) -> Bool {
      port == localPort && (local == nil || address == local)
    }
    func isOther(_ address: ReachabilityAddress?, _ port: UInt16) -> Bool {
      port == remotePort && address == remote
    }
    let outgoing = (
      isOwn(packet.source, packet.sourcePort), isOther(packet.destination, packet.destinationPort)
    )
    let incoming = (
      isOther(packet.source, packet.sourcePort), isOwn(packet.destination, packet.destinationPort)
    )
    if outgoing == (true, true) { return Match(isOutgoing: true, isExact: true) }
    if incoming == (true, true) { return Match(isOutgoing: false, isExact: true) }
    if outgoing.0 || outgoing.1 { return Match(isOutgoing: true, isExact: false) }
    if incoming.0 || incoming.1 { return Match(isOutgoing: false, isExact: false) }
    return nil
  }
}

/// The addresses, the ports and the protocol of a packet.
private struct Packet {
  var transport: UInt8
  var source: ReachabilityAddress?
  var destination: ReachabilityAddress?
  var sourcePort: UInt16
  var destinationPort: UInt16

  init?(_ network: [UInt8], _ transport: [UInt8]) {
    guard transport.count >= 4, let version = network.first.map({ $0 >> 4 }) else { return nil }
    let (start, count): (Int, Int)
    switch version {
    case 4: (start, count, self.transport) = (12, 4, network.count > 9 ? network[9] : 0)
    // Packets of a probe have no extension headers.
    case 6: (start, count, self.transport) = (8, 16, network.count > 6 ? network[6] : 0)
    default: return nil
    }
    guard network.count >= start + 2 * count else { return nil }
    source = ReachabilityAddress(octets: network[start..<start + count])
    destination = ReachabilityAddress(octets: network[start + count..<start + 2 * count])
    sourcePort = UInt16(transport[0]) << 8 | UInt16(transport[1])
    destinationPort = UInt16(transport[2]) << 8 | UInt16(transport[3])
  }
}
