import SystemConfiguration
import Testing

@Suite struct FlagsTests {
  @Test func `the bits are Apple's`() {
    let bits: [SCNetworkReachabilityFlags] = [
      .transientConnection, .reachable, .connectionRequired, .connectionOnTraffic, .interventionRequired,
      .connectionOnDemand, .isLocalAddress, .isDirect, .isWWAN,
    ]
    #expect(bits.map(\.rawValue) == [0x1, 0x2, 0x4, 0x8, 0x10, 0x20, 0x10000, 0x20000, 0x40000])
    #expect(SCNetworkReachabilityFlags.connectionAutomatic.rawValue == 0x8)
  }
}
