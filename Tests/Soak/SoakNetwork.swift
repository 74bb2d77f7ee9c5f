// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import Netlink

/// Two hosts in separate network namespaces, with cables between them and a private hosts file.
final class SoakNetwork: Sendable {
  /// A cable: the indexes of its ends, and its number from 1, which is part of its addresses.
  struct Cable: Sendable {
    var name: String
    var number: UInt32
    var index: Int32
    var farIndex: Int32

    var address: ReachabilityAddress { .v4(.init(rawValue: 10 << 24 | number << 16 | 1)) }
    var gateway: ReachabilityAddress { .v4(.init(rawValue: 10 << 24 | number << 16 | 254)) }
    var address6: ReachabilityAddress { Self.unique(number, 1) }
    var gateway6: ReachabilityAddress { Self.unique(number, 0xfe) }

    /// Returns an address in `fd00:NUMBER::/64`.
    static func unique(_ number: UInt32, _ host: UInt32) -> ReachabilityAddress {
      .v6(.init(rawValue: UInt128(0xfd00) << 112 | UInt128(number) << 96 | UInt128(host)))
    }
  }

  let host: NetworkNamespace
  let peer: NetworkNamespace
  let cables: [Cable]
  static let names = (0..<40).map { "name\($0).test" }

  init(cables count: Int = 6) throws {
    let (host, peer) = (try NetworkNamespace(), try NetworkNamespace())
    try host.raiseLoopback()
    try host.hideFolders("/run")
    // The resolver's files, for the threads in the network.
    try host.sh(
      """
      mkdir /run/etc
      cp /etc/ld.so.cache /etc/localtime /run/etc/ 2>/dev/null
      echo 'hosts: files' >/run/etc/nsswitch.conf
      echo 'multi on' >/run/etc/host.conf
      touch /run/etc/hosts /run/etc/resolv.conf
      mount --bind /run/etc /etc
      """)
    func index(of name: String, _ network: NetworkNamespace) throws -> Int32 {
      try network.run { Int32(unsafe if_nametoindex(name)) }
    }
    cables = try (1...UInt32(count)).map { number in
      let name = "c\(number)"
      try host.ip("link add \(name) type veth peer name far\(number) netns \(peer.path)")
      // One cable uses duplicate address detection, the default; the others do not.
      if number > 1 { try host.writeSysctl("net/ipv6/conf/\(name)/accept_dad", "0") }
      let cable = Cable(
        name: name, number: number, index: try index(of: name, host),
        farIndex: try index(of: "far\(number)", peer))
      try host.ip("address add \(cable.address)/24 dev \(name)")
      try host.ip("address add \(cable.address6)/64 dev \(name) nodad")
      try peer.ip("link set far\(number) up")
      try host.ip("link set \(name) up")
      return cable
    }
    (self.host, self.peer) = (host, peer)
  }

  /// Gives every name an IPv4 and an IPv6 address.
  func setAddresses(_ addresses: [String: [ReachabilityAddress]]) throws {
    let lines = addresses.flatMap { name, addresses in addresses.map { "\($0) \(name)\n" } }
    try host.run { try lines.joined().write(toFile: "/etc/hosts", atomically: false, encoding: .utf8) }
  }
}
