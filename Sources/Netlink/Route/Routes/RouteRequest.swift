#if os(Linux)
import InternetProtocol

/// A lookup in the routing tables: the resolved route of a packet, or the matching entry.
///
/// The kernel message is `RTM_GETROUTE`.
package struct RouteRequest: Hashable, Sendable {
  package var destination: IPAddress
  package var source: IPAddress?
  package var outputInterface: Int32?
  package var mark: UInt32?
  /// The owner of the packets; the kernel's default is the real user of this process.
  package var userID: UInt32?
  /// The IP protocol number; the kernel's default is UDP for IPv4, and none for IPv6.
  package var protocolNumber: UInt8?
  /// The ports of the packets.
  package var sourcePort: UInt16?
  package var destinationPort: UInt16?
  /// The flags, of which only `lookupTable` and `exactMatch` apply.
  package var flags: RouteFlags

  package init(
    _ destination: IPAddress, source: IPAddress? = nil, outputInterface: Int32? = nil, mark: UInt32? = nil,
    userID: UInt32? = nil, protocolNumber: UInt8? = nil, sourcePort: UInt16? = nil,
    destinationPort: UInt16? = nil, flags: RouteFlags = []
  ) {
    self.destination = destination
    self.source = source
    self.outputInterface = outputInterface
    self.mark = mark
    self.userID = userID
    self.protocolNumber = protocolNumber
    self.sourcePort = sourcePort
    self.destinationPort = destinationPort
    self.flags = flags
  }

  /// Appends the message's payload; ``RouteMessage`` has the drawing.
  package func encode(into encoder: inout MessageEncoder) {
    let family: AddressFamily = destination.bitWidth == 32 ? .ipv4 : .ipv6
    // The first eight bytes as one number: family, both lengths, and zeros.
    var header = UInt64(family.rawValue)
    header |= UInt64(destination.bitWidth) << 8
    header |= UInt64(source?.bitWidth ?? 0) << 16
    encoder.append(header.littleEndian)
    encoder.append(flags.rawValue)
    encoder.attribute(RouteAttribute.destination, address: destination)
    if let source { encoder.attribute(RouteAttribute.source, address: source) }
    if let outputInterface { encoder.attribute(RouteAttribute.outputInterface, integer: outputInterface) }
    if let mark { encoder.attribute(RouteAttribute.mark, integer: mark) }
    if let userID { encoder.attribute(RouteAttribute.userID, integer: userID) }
    if let protocolNumber { encoder.attribute(RouteAttribute.protocolNumber, integer: protocolNumber) }
    if let sourcePort { encoder.attribute(RouteAttribute.sourcePort, integer: sourcePort.bigEndian) }
    if let destinationPort {
      encoder.attribute(RouteAttribute.destinationPort, integer: destinationPort.bigEndian)
    }
  }
}
#endif
