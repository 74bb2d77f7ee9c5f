// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import InternetProtocol

/// A server address of a world.
struct Peer: Hashable {
  var isIPv6 = false
  /// Whether it is in the network of the client's address, rather than behind the gateway.
  var isOnLink = false
  /// Below 32.
  var number: Int

  /// The number of peers of a world.
  static let limit = 128

  /// The peer's place in tables.
  var slot: Int { number | (isIPv6 ? 64 : 0) | (isOnLink ? 32 : 0) }

  init(isIPv6: Bool, isOnLink: Bool, number: Int) {
    (self.isIPv6, self.isOnLink, self.number) = (isIPv6, isOnLink, number)
  }

  init(slot: Int) {
    self.init(isIPv6: slot & 64 != 0, isOnLink: slot & 32 != 0, number: slot & 31)
  }

  /// The address: `10.WORLD.NUMBER` and `fd09:0:WORLD::NUMBER` behind the gateway, and `100.64.WORLD.128` and on, and
  /// `fd64:0:WORLD::1:NUMBER`, on the link.
  func address(in world: Int) -> ReachabilityAddress {
    switch (isIPv6, isOnLink) {
    case (false, false): .v4(.init(rawValue: 10 << 24 | UInt32(world) << 8 | UInt32(number)))
    case (false, true): .v4(.init(rawValue: Self.network(of: world) | UInt32(128 + number)))
    case (true, false): .v6(.init(rawValue: Self.prefix(0xfd09, world) | UInt128(number)))
    case (true, true): .v6(.init(rawValue: Self.prefix(0xfd64, world) | 0x1_0000 | UInt128(number)))
    }
  }

  /// `100.64.WORLD.0`.
  static func network(of world: Int) -> UInt32 { 100 << 24 | 64 << 16 | UInt32(world) << 8 }

  private static func prefix(_ first: UInt128, _ world: Int) -> UInt128 {
    first << 112 | UInt128(world) << 80
  }

  /// The client's addresses.
  static func client(_ world: Int) -> (v4: ReachabilityAddress, v6: ReachabilityAddress) {
    (.v4(.init(rawValue: network(of: world) | 2)), .v6(.init(rawValue: prefix(0xfd64, world) | 2)))
  }

  /// The gateways, which exist as addresses only.
  static func gateways(_ world: Int) -> (v4: ReachabilityAddress, v6: ReachabilityAddress) {
    (.v4(.init(rawValue: network(of: world) | 1)), .v6(.init(rawValue: prefix(0xfd64, world) | 0xfe)))
  }
}

extension traffic_address {
  init(_ address: ReachabilityAddress, port: UInt16) {
    self.init()
    self.port = port
    let octets = address.octets
    unsafe withUnsafeMutableBytes(of: &self.octets) { bytes in
      let start = 16 - octets.count
      if start > 0 {
        unsafe bytes[10] = 0xff
        unsafe bytes[11] = 0xff
      }
      for (place, octet) in octets.enumerated() { unsafe bytes[start + place] = octet }
    }
  }

  /// The world of a client's address.
  var world: Int {
    unsafe withUnsafeBytes(of: octets) { bytes in
      unsafe bytes[10] == 0xff
        ? (Int(bytes[13]) - 64) << 8 | Int(bytes[14]) : Int(bytes[4]) << 8 | Int(bytes[5])
    }
  }
}
