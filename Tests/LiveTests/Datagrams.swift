// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import LiveSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension Lab {
  /// Sends datagrams from a connected socket, and returns how many of them each of the given far ends received.
  ///
  /// Far ends also receive a few packets of the kernel, so the number only distinguishes none from all.
  func deliver(_ count: Int, to destination: ReachabilityAddress, countedAt ends: [String]) throws -> [Int] {
    let before = try ends.map(receivedPackets)
    let octets = destination.octets
    let sent = try host.run { DatagramSocket(connectedTo: octets)?.send(count) ?? 0 }
    guard sent == count else { return ends.map { _ in 0 } }
    return zip(try ends.map(receivedPackets), before).map { max(0, $0 - $1) }
  }

  /// Whether a datagram socket can be connected, and a datagram be sent.
  func connects(to address: ReachabilityAddress) throws -> Bool {
    let octets = address.octets
    return try host.run { DatagramSocket(connectedTo: octets)?.send(1) == 1 }
  }

  /// Whether this machine delivers a datagram for one of its addresses.
  func delivers(to address: ReachabilityAddress) throws -> Bool {
    let octets = address.octets
    return try host.run {
      guard let datagrams = DatagramSocket(connectedTo: octets) else { return false }
      return datagrams.send(1) == 1 && datagrams.isRefused
    }
  }

  private func receivedPackets(_ end: String) throws -> Int {
    let line = try peer.ip("-s -j link show \(end)")
    let match = try #require(try /"rx":\{"bytes":[0-9]+,"packets":([0-9]+)/.firstMatch(in: line))
    return try #require(Int(match.1))
  }

  /// Advertises the far host as an IPv6 router over a cable (RFC 4861, 4.2), and waits until the near host has its route.
  func advertiseRouter(at end: String, to link: String, portal: String? = nil) throws {
    let deadline = ContinuousClock.now.advanced(by: .seconds(10))
    // Until its link-local address is in use, the far host can't send, or sends from another one, which hosts ignore.
    while ContinuousClock.now < deadline {
      _ = try peer.run { RouterAdvertisement.send(over: end, portal: portal) }
      if try host.ip("-6 route show default dev \(link)").contains("proto ra") { return }
    }
    Issue.record("no route from an advertisement over \(link)")
  }

  /// Adds a permanent neighbour entry, so that packets for a gateway leave without an ARP or NDP request.
  func fixNeighbour(_ gateway: ReachabilityAddress, on link: String, far end: String) throws {
    let line = try peer.ip("-o link show \(end)")
    let match = try #require(try /link\/ether ([0-9a-f:]+)/.firstMatch(in: line))
    try host.ip("neigh replace \(gateway) lladdr \(match.1) dev \(link) nud permanent")
  }
}

/// A UDP socket in the calling thread's network namespace, connected to a port without a listener.
private struct DatagramSocket: ~Copyable {
  private let descriptor: Int32

  /// Returns `nil` if the kernel refuses.
  init?(connectedTo octets: [UInt8]) {
    let isIPv4 = octets.count == 4
    // SOCK_DGRAM and SOCK_CLOEXEC.
    descriptor = socket(isIPv4 ? AF_INET : AF_INET6, 2 | 0o2000000, 0)
    var storage = sockaddr_storage()
    let size = isIPv4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    let result = unsafe withUnsafeMutableBytes(of: &storage) { bytes in
      unsafe bytes.storeBytes(of: sa_family_t(isIPv4 ? AF_INET : AF_INET6), as: sa_family_t.self)
      unsafe bytes.storeBytes(of: in_port_t(9).bigEndian, toByteOffset: 2, as: in_port_t.self)
      for (place, octet) in octets.enumerated() { unsafe bytes[(isIPv4 ? 4 : 8) + place] = octet }
      return unsafe bytes.withMemoryRebound(to: sockaddr.self) {
        unsafe connect(descriptor, $0.baseAddress, socklen_t(size))
      }
    }
    if result != 0 { return nil }
  }

  deinit { close(descriptor) }

  /// Returns how many datagrams the kernel accepted.
  func send(_ count: Int) -> Int {
    (0..<count).count { _ in sendOctet(descriptor) }
  }

  /// Whether the datagram was delivered on this machine: the refusal precedes the return of the call that sends.
  var isRefused: Bool {
    var octet: UInt8 = 0
    // MSG_DONTWAIT.
    return unsafe recv(descriptor, &octet, 1, 0x40) < 0 && errno == ECONNREFUSED
  }
}

/// A function outside of the structure, where `send` is the C library's.
private func sendOctet(_ descriptor: Int32) -> Bool { unsafe send(descriptor, "x", 1, 0) == 1 }
#endif
