// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

@Suite(.deadline) struct FlagsTests {
  /// Apple's `SCNetworkReachabilityFlags`, from its public header.
  private static let apple: [(flag: ReachabilityStatus.Flags, bits: UInt32, name: String)] = [
    (.transientConnection, 0x1, "transientConnection"),
    (.reachable, 0x2, "reachable"),
    (.connectionRequired, 0x4, "connectionRequired"),
    (.connectionOnTraffic, 0x8, "connectionOnTraffic"),
    (.interventionRequired, 0x10, "interventionRequired"),
    (.connectionOnDemand, 0x20, "connectionOnDemand"),
    (.isLocalAddress, 0x10000, "isLocalAddress"),
    (.isDirect, 0x20000, "isDirect"),
    (.isWWAN, 0x40000, "isWWAN"),
  ]

  @Test func `each flag has the bit and the name that Apple gave it`() {
    #expect(Self.apple.map(\.flag.rawValue) == Self.apple.map(\.bits))
    #expect(Self.apple.map(\.flag.names) == Self.apple.map { [$0.name] })
  }

  @Test(
    arguments: [
      (0, []), (0x2, ["reachable"]), (0x20002, ["reachable", "isDirect"]),
      (0x30002, ["reachable", "isLocalAddress", "isDirect"]), (0x3, ["transientConnection", "reachable"]),
      (0x40003, ["transientConnection", "reachable", "isWWAN"]), (0x6, ["reachable", "connectionRequired"]),
      (0x8000_0000, []), (0x8000_0002, ["reachable"]),
    ] as [(UInt32, [String])])
  func `flags are named in the order of their bits`(bits: UInt32, names: [String]) {
    #expect(ReachabilityStatus.Flags(rawValue: bits).names == names)
  }

  @Test func `all flags together have all names`() {
    let all = Self.apple.reduce(into: ReachabilityStatus.Flags()) { $0.insert($1.flag) }
    #expect(all.rawValue == 0x7003f)
    #expect(all.names == Self.apple.map(\.name))
  }
}
