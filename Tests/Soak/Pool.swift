// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// The observed targets, and the addresses that routes come and go for.
enum Pool {
  /// The requirements of the observed paths.
  static let requirements: [ReachabilityPath.Requirements] = [
    .none, .requiring(.wired), .prohibiting(.wired),
  ]

  /// Returns an address in 100.64.0.0/12, in few enough networks that routes match targets.
  static func ipv4(_ random: inout SeededGenerator) -> ReachabilityAddress {
    let network = UInt32(random.number(0..<16)) << 16 | UInt32(random.number(0..<8)) << 12
    return .v4(.init(rawValue: 100 << 24 | 64 << 16 | network | UInt32(random.number(1..<4096))))
  }

  /// Returns an address in fd99::/28.
  static func ipv6(_ random: inout SeededGenerator) -> ReachabilityAddress {
    let network = UInt128(random.number(0..<16)) << 96 | UInt128(random.number(0..<8)) << 64
    return .v6(.init(rawValue: UInt128(0xfd99) << 112 | network | UInt128(random.number(1..<4096))))
  }

  /// Returns a range around an address of one of the targets.
  static func prefix(_ bitWidth: Int, _ random: inout SeededGenerator) -> IPPrefix? {
    let lengths = bitWidth == 32 ? [12, 16, 20, 20, 24, 28, 32] : [28, 32, 64, 64, 120, 128]
    let address = bitWidth == 32 ? ipv4(&random) : ipv6(&random)
    return IPPrefix(address, length: random.pick(lengths))
  }

  /// Returns a thousand different targets of all kinds.
  static func targets(_ cables: [SoakNetwork.Cable], _ random: inout SeededGenerator) throws
    -> [ReachabilityTarget]
  {
    var targets: [ReachabilityTarget] = [.defaultRoute]
    var known = Set(targets)
    func add(_ count: Int, _ make: (inout SeededGenerator) throws -> ReachabilityTarget) rethrows {
      var left = count
      while left > 0 {
        let target = try make(&random)
        guard known.insert(target).inserted else { continue }
        targets.append(target)
        left -= 1
      }
    }
    for cable in cables {
      targets += [
        ReachabilityTarget(.defaultRoute, interface: .name(cable.name)), .address(cable.address),
        .address(cable.gateway),
        .address(cable.address6), .address(cable.gateway6),
      ]
    }
    for name in SoakNetwork.names { targets.append(.host(try ReachabilityTarget.HostName(name))) }
    known = Set(targets)
    add(300) { .address(ipv4(&$0)) }
    add(250) { .address(ipv6(&$0)) }
    add(60) { random in
      let cable = random.pick(cables)
      return .address(.v4(.init(rawValue: 10 << 24 | cable.number << 16 | UInt32(random.number(2..<250)))))
    }
    add(60) { .address(SoakNetwork.Cable.unique($0.pick(cables).number, UInt32($0.number(2..<250)))) }
    add(40) { ReachabilityTarget(.address(ipv4(&$0)), source: $0.pick(cables).address) }
    add(20) { ReachabilityTarget(.address(ipv6(&$0)), source: $0.pick(cables).address6) }
    add(60) { ReachabilityTarget(.address(ipv4(&$0)), interface: .name($0.pick(cables).name)) }
    add(60) { ReachabilityTarget(.address(ipv4(&$0)), mark: UInt32($0.number(1..<4))) }
    add(30) { random in
      let address = ReachabilityAddress.v6(
        .init(rawValue: UInt128(0xfe80) << 112 | UInt128(random.number(1..<500))))
      return .address(address, zone: .name(random.pick(cables).name))
    }
    add(1000 - targets.count) { .address(ipv4(&$0)) }
    return targets
  }
}
