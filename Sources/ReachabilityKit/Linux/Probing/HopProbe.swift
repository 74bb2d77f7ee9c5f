// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// TCP connection attempts whose packets end at the first routers on the path to an address, as those of `traceroute` do.
///
/// A router that forwards packets reports one whose hop limit is over (RFC 792, RFC 4443).
struct HopProbe: Sendable {
  let target: ReachabilityTarget
  let address: ReachabilityAddress
  let port: UInt16
  let interface: UInt32?
  let timeout: Duration

  /// The number of hops, each with an attempt of its own.
  static let limit = 8

  /// Returns the routers by their number of hops, as far as they report in time; blocks until then.
  func run(_ interruption: Interruption) -> [Int: ReachabilityAddress] {
    let end = Moment.now.advanced(by: timeout)
    var sockets: [Int: ProbeSocket] = [:]
    for hop in 1...Self.limit {
      sockets[hop] = try? ProbeSocket(
        .stream, to: target, address, port: port, interface: interface, hopLimit: UInt32(hop))
    }
    var routers: [Int: ReachabilityAddress] = [:]
    while !sockets.isEmpty, !interruption.isInterrupted, Moment.now < end {
      for hop in interruption.wait(for: sockets, forInput: false, Moment.now.duration(to: end)) {
        guard let socket = sockets.removeValue(forKey: hop) else { continue }
        if let reporter = socket.reporter { routers[hop] = reporter }
      }
    }
    return routers
  }
}
#endif
