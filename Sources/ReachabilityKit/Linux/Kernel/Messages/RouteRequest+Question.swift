#if os(Linux)
import Netlink

extension RouteRequest {
  /// Creates the request for a question.
  ///
  /// - Parameter userID: The user that the packets belong to, unless it is the process's real user.
  init(_ question: RouteQuestion, of userID: UInt32?) {
    // The kernel's own packets to a segment have another protocol, and belong to root.
    let isKernels = question.encapsulations > 0
    self.init(
      question.destination, source: question.source, outputInterface: question.interface, mark: question.mark,
      // The packets of tunnels are the kernel's own.
      userID: question.isOfTunnel || (isKernels && userID != nil) ? 0 : userID,
      protocolNumber: isKernels ? nil : question.protocolNumber,
      sourcePort: question.flow?.sourcePort, destinationPort: question.port,
      // Without the first flag the kernel reports a made-up table for IPv4.
      flags: question.isExact ? .exactLookup : .lookupTable)
  }
}

extension RouteQuestion {
  /// The kernel cannot be asked about the protocols of tunnels, and takes UDP for IPv4 by default: `IPPROTO_ICMP`
  /// meets the rules for neither TCP nor UDP.
  fileprivate var protocolNumber: UInt8? {
    guard isOfTunnel, transport == nil else { return packetTransport.protocolNumber }
    return destination.bitWidth == 32 ? 1 : nil
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
}

/// The number of one of several flows.
extension UInt8 {
  /// A port in the kernel's default range for ephemeral ports.
  fileprivate var sourcePort: UInt16 { 32768 + UInt16(self) * 97 }
}
#endif
