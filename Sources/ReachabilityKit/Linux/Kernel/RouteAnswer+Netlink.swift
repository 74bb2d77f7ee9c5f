#if os(Linux)
import Netlink
import POSIX

extension RouteAnswer {
  init(_ result: consuming Result<LookupReply, Errno>) {
    switch result {
    // Packets of this machine have no frame yet, so the kernel drops them.
    case .success(let message) where message.encapsulation == .frames: self = .refused(.invalid)
    case .success(let message):
      self = RouteReply(message).map { .route($0) } ?? .refused(Refusal(message.kind))
    case .failure(let error):
      self = .refused(Refusal(error))
    }
  }
}

extension RouteAnswer.Refusal {
  init(_ error: Errno) {
    switch error {
    case .networkUnreachable: self = .networkUnreachable
    case .hostUnreachable: self = .hostUnreachable
    case .invalidArgument: self = .invalid
    case .accessDenied: self = .accessDenied
    case .noDevice: self = .noDevice
    case .notSupported, .familyNotSupported: self = .familyUnsupported
    default: self = .trouble
    }
  }

  /// Converts a kind of route that sends no packets, for which the kernel mostly returns an error.
  init(_ kind: RouteKind) {
    switch kind {
    case .blackhole: self = .invalid
    case .unreachable: self = .hostUnreachable
    case .prohibit: self = .accessDenied
    case .throw: self = .networkUnreachable
    default: self = .trouble
    }
  }
}

extension RouteReply {
  /// Converts a route; returns `nil` if it sends no packets.
  init?(_ message: consuming LookupReply) {
    guard let kind = Kind(message.kind) else { return nil }
    self.kind = kind
    interface = message.outputInterface
    gateway = message.gateway
    source = message.preferredSource
    table = message.table
    prefixLength = Int(message.destinationLength)
    metric = message.priority
    isDown = message.flags.isDown
    nextHops = message.nextHops.map {
      NextHop(interface: $0.outputInterface, gateway: $0.gateway, isDown: $0.flags.isDown)
    }
    encapsulation = message.encapsulation.flatMap(Encapsulation.init)
    // The kernel counts hundredths of a second, rounded down; with 20 ms more, the route is gone by then.
    if message.expires > 0 { lifetime = .milliseconds(Int64(message.expires) * 10 + 20) }
  }
}

extension RouteReply.Encapsulation {
  /// Converts an encapsulation; returns `nil` if packets leave by the route's own next hop.
  fileprivate init?(_ encapsulation: Encapsulation) {
    switch encapsulation {
    case .segment(let address): self = .segment(address)
    // These make another destination, and look its route up: LWTUNNEL_ENCAP_ILA, _RPL and _IOAM6.
    case .other(3), .other(8), .other(9): self = .unknown
    case .frames, .other: return nil
    }
  }
}

extension RouteReply.Kind {
  /// Converts a kind of route; returns `nil` if it sends no packets.
  init?(_ kind: RouteKind) {
    switch kind {
    case .unicast: self = .unicast
    case .local: self = .local
    case .broadcast: self = .broadcast
    case .anycast: self = .anycast
    case .multicast: self = .multicast
    default: return nil
    }
  }
}

extension RouteFlags {
  fileprivate var isDown: Bool { contains(.linkDown) || contains(.dead) }
}

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

extension RouteQuestion {
  /// Creates the query for the packets that a tunnel makes; `nil` for links that are no tunnels, and for tunnels
  /// without one fixed remote.
  init?(tunnel message: LinkMessage) {
    guard let header = message.tunnelHeader else { return nil }
    self.init(
      header.remote, source: header.local, interface: header.lower, mark: header.mark,
      transport: header.port == nil ? nil : .udp, port: header.port)
    isOfTunnel = true
  }
}
#endif
