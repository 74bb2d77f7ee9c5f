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
#endif
