#if os(Linux)
import DeadlineSupport
import LiveSupport
import ReachabilityKit
import Testing

/// Two hosts on one cable: `v0` here, `p0` at the far end, each in a network namespace of its own.
///
/// Here are `10.1.0.1/24` and `fd00:1::1/64`, with default routes by `10.1.0.254` and `fd00:1::fe`.
final class Lab: Sendable {
  let host: NetworkNamespace
  let peer: NetworkNamespace

  enum Family {
    case both
    case ipv4Only
  }

  init(_ family: Family = .both, defaultRoutes: Bool = true) throws {
    host = try NetworkNamespace()
    peer = try NetworkNamespace()
    try host.raiseLoopback()
    try addCable("v0", far: "p0")
    if family == .ipv4Only { try host.writeSysctl("net/ipv6/conf/v0/disable_ipv6", "1") }
    // Without the wait for duplicates, addresses can be used at once.
    if family == .both { try host.writeSysctl("net/ipv6/conf/v0/accept_dad", "0") }
    try host.ip("addr add 10.1.0.1/24 dev v0")
    if family == .both { try host.ip("addr add fd00:1::1/64 dev v0 nodad") }
    try peer.ip("link set p0 up")
    try host.ip("link set v0 up")
    try waitForOperation("v0")
    if family == .both { waitForLocalRoute("fd00:1::1") }
    guard defaultRoutes else { return }
    try host.ip("route add default via 10.1.0.254 metric 100")
    if family == .both { try host.ip("-6 route add default via fd00:1::fe") }
  }

  /// Lays a cable from here to the far host; both ends are down.
  func addCable(_ name: String, far: String) throws {
    try host.ip("link add \(name) type veth peer name \(far) netns \(peer.path)")
  }

  /// Waits until the kernel has seen the cable at both ends, which it notices a moment after the command.
  func waitForOperation(_ name: String) throws {
    for _ in 0..<2000 {
      if try host.ip("-o link show \(name)").contains("state UP") { return }
    }
    Issue.record("\(name) did not come up")
  }

  /// Waits until an IPv6 address of a link that came up is this machine's, which the kernel does in the background.
  func waitForLocalRoute(_ address: String) {
    for _ in 0..<2000 {
      if (try? host.ip("-6 route get \(address)"))?.hasPrefix("local") == true { return }
    }
    Issue.record("\(address) did not come into use")
  }

  /// Makes a monitor of this network.
  func makeMonitor() throws -> ReachabilityMonitor {
    try host.run { try ReachabilityMonitor() }
  }

  /// The interface as a status names it.
  func interface(
    _ name: String, kind: ReachabilityInterface.Kind = .wired, isTunnel: Bool = false,
    linkType: String? = "veth"
  ) throws -> ReachabilityInterface {
    let line = try host.ip("-o link show \(name)")
    let index = try #require(line.split(separator: ":").first.flatMap { Int($0) })
    return ReachabilityInterface(name: name, index: index, kind: kind, isTunnel: isTunnel, linkType: linkType)
  }
}

/// The tests that need network namespaces: where there are none, they are skipped with the reason.
///
/// One after the other, since they block their threads and the other tests want some too.
@Suite(
  .serialized,
  .enabled(if: NetworkNamespace.unavailable == nil, "\(NetworkNamespace.unavailable ?? "")"), .deadline)
enum LiveTests {}

extension ReachabilityStatus {
  /// Reachable by a gateway.
  static func via(_ gateway: IPAddress, from source: IPAddress?, _ interface: ReachabilityInterface)
    -> ReachabilityStatus
  {
    ReachabilityStatus(.reachable, flags: .reachable, interface: interface, gateway: gateway, source: source)
  }

  /// Reachable on the link.
  static func direct(from source: IPAddress, _ interface: ReachabilityInterface) -> ReachabilityStatus {
    ReachabilityStatus(.reachable, flags: [.reachable, .isDirect], interface: interface, source: source)
  }

  /// An address of this machine.
  static func local(_ address: IPAddress, _ interface: ReachabilityInterface) -> ReachabilityStatus {
    ReachabilityStatus(
      .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: interface, source: address)
  }
}
#endif
