// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import LiveSupport

/// Two hosts on one veth link, `v0` here and `p0` at the far end, where a real HTTP server answers at `10.1.0.2:8080`
/// and, as another host, at `10.1.0.3:8080`.
///
/// A separate program makes the requests, because Foundation's threads are not in a test's network namespace.
final class RequestLab {
  let host: NetworkNamespace
  let peer: NetworkNamespace
  let server: HoldingServer

  static let url = "http://10.1.0.2:8080"

  init() throws {
    host = try NetworkNamespace()
    peer = try NetworkNamespace()
    try host.raiseLoopback()
    try peer.raiseLoopback()
    try host.ip("link add v0 type veth peer name p0 netns \(peer.path)")
    try host.ip("addr add 10.1.0.1/24 dev v0")
    try peer.ip("addr add 10.1.0.2/24 dev p0")
    try peer.ip("addr add 10.1.0.3/24 dev p0")
    try peer.ip("link set p0 up")
    server = try HoldingServer(in: peer)
    try raiseLink()
  }

  /// Brings `v0` up, and waits for the carriers of both ends, which the kernel notices a moment later.
  ///
  /// Until then, an end sends nothing, not even the answer to the question for its hardware address.
  func raiseLink() throws {
    try host.ip("link set v0 up")
    for (network, link) in [(host, "v0"), (peer, "p0")] {
      try network.sh(
        "for i in $(seq 2000); do ip link show \(link) | grep -q 'state UP' && exit; done; exit 1")
    }
  }

  /// Starts the request program.
  func start(_ words: String..., environment: [String: String] = [:]) throws -> RunningCommand {
    try RunningCommand(words, of: "RequestProgram", in: host, environment: environment)
  }
}
#endif
