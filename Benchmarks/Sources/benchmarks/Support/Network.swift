// SPDX-License-Identifier: Apache-2.0
import CRaw
import Glibc

/// A network namespace: `v0` with a default route via 10.1.0.254, and `v1` with 10.2.0.0/24, whose other end is in a
/// separate one.
final class Network: Sendable {
  private let descriptor: CInt
  private let farEnd: CInt

  static let gateway = "10.1.0.254"
  /// An address behind the gateway.
  static let address = "10.9.0.1"
  /// The target of the route that ``raw_change(_:_:)`` changes.
  static let changing = "198.51.100.1"

  /// Creates a network with the given number of additional routes via the gateway.
  init(routes: Int = 0) {
    let home = raw_present_network()
    farEnd = raw_new_network()
    descriptor = raw_new_network()
    let farPath = "/proc/\(getpid())/fd/\(farEnd)"
    // Without IPv6 no delayed changes occur, for example after duplicate address detection.
    Self.shell(
      """
      for kind in all default; do echo 1 2>/dev/null > /proc/sys/net/ipv6/conf/$kind/disable_ipv6 || true; done
      ip link set lo up
      ip link add v0 type veth peer name p0
      ip link add v1 type veth peer name p1
      ip link set p1 netns \(farPath)
      ip link set p0 up
      ip link set v0 up
      ip link set v1 up
      ip address add 10.1.0.1/24 dev v0
      ip address add 10.2.0.1/24 dev v1
      ip route add default via \(Self.gateway) proto static
      """)
    raw_enter_network(farEnd)
    Self.shell("ip link set p1 up")
    raw_enter_network(descriptor)
    Self.shell("for link in v0 v1; do until ip -o link show $link | grep -q 'state UP'; do :; done; done")
    if routes > 0 { raw_add_routes(routes, Self.gateway) }
    raw_enter_network(home)
    close(home)
  }

  deinit {
    close(descriptor)
    close(farEnd)
  }

  /// Runs a closure in this network; processes and threads that it starts stay there.
  func inside<Result>(_ body: () -> Result) -> Result {
    let home = raw_present_network()
    raw_enter_network(descriptor)
    defer {
      raw_enter_network(home)
      close(home)
    }
    return body()
  }

  /// Makes 10.128.0.0/9 addresses of the far end of `v1`, and routes them there.
  func addFarAddresses() {
    inside { Self.shell("ip route replace 10.128.0.0/9 via 10.2.0.2") }
    farInside {
      Self.shell(
        "ip link set lo up; ip address add 10.2.0.2/24 dev p1; ip route add local 10.128.0.0/9 dev lo; ip route add default via 10.2.0.1"
      )
    }
  }

  /// Runs a closure in the network at the far end of `v1`.
  func farInside<Result>(_ body: () -> Result) -> Result {
    let home = raw_present_network()
    raw_enter_network(farEnd)
    defer {
      raw_enter_network(home)
      close(home)
    }
    return body()
  }

  /// Adds addresses of 10.64.0.0/10 to `v0`, one by one.
  func addAddresses(_ count: Int) {
    inside {
      Self.shell(
        """
        awk 'BEGIN {
          for (i = 0; i < \(count); i++) printf "address add 10.%d.%d.%d/32 dev v0\\n", 64 + i / 65536, i / 256 % 256, i % 256
        }' | ip -batch -
        """)
    }
  }

  private static func shell(_ script: String) {
    _ = runs(["sh", "-c", "set -e\n(\(script)\n) || exit 2"], 1)
  }
}

/// The types of routes that discard and that reject packets: `RTN_BLACKHOLE` and `RTN_PROHIBIT`.
let (blackhole, prohibit): (CInt, CInt) = (6, 8)

/// Addresses as numbers.
enum Address {
  /// The first of many targets: 11.0.0.0.
  static let first: UInt32 = 0x0b00_0000
  /// 198.51.100.1.
  static let changing: UInt32 = 0xc633_6401

  static func text(_ number: UInt32) -> String {
    [24, 16, 8, 0].map { String(number >> $0 & 255) }.joined(separator: ".")
  }
}
