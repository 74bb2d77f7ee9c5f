import DeadlineSupport
import SystemConfiguration
import Testing

@testable import AFNetworkReachability

@Suite(.deadline) struct StatusTests {
  @Test func `the raw values are AFNetworking's`() {
    let statuses: [AFNetworkReachabilityStatus] = [
      .unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi,
    ]
    #expect(statuses.map(\.rawValue) == [-1, 0, 1, 2])
  }

  /// The flags by their letters: transient, Reachable, connection required, Connection on traffic, intervention, on
  /// Demand, local, direct, WWAN.
  private static let letters: [Character: SCNetworkReachabilityFlags] = [
    "t": .transientConnection, "R": .reachable, "c": .connectionRequired, "C": .connectionOnTraffic,
    "i": .interventionRequired, "D": .connectionOnDemand, "l": .isLocalAddress, "d": .isDirect,
    "W": SCNetworkReachabilityFlags(rawValue: 1 << 18),
  ]

  @Test(
    arguments: [
      "", "W", "Wc", "c", "D", "Rc", "Rct", "Rci", "RcDi", "RcCi", "RWc", "RWct", "RWcDi",
    ])
  func `flags that mean it can't be reached`(flags: String) {
    #expect(status(flags) == .notReachable)
  }

  @Test(arguments: ["R", "Rd", "Rl", "Rt", "Ri", "RcD", "RcC", "RctD"])
  func `flags that mean it can be reached by another link than a cellular one`(flags: String) {
    #expect(status(flags) == .reachableViaWiFi)
  }

  @Test(arguments: ["RW", "RWt", "RWcD", "RWctC"])
  func `flags that mean it can be reached by a cellular link, which no Mac has`(flags: String) {
    #if os(macOS)
    #expect(status(flags) == .reachableViaWiFi)
    #else
    #expect(status(flags) == .reachableViaWWAN)
    #endif
  }

  @Test func `a dormant modem can't be reached`() {
    #expect(AFNetworkReachabilityStatus(SCNetworkReachabilityFlags(rawValue: 0x40007)) == .notReachable)
    #expect(AFNetworkReachabilityStatus(SCNetworkReachabilityFlags(rawValue: 0x7)) == .notReachable)
  }

  private func status(_ text: String) -> AFNetworkReachabilityStatus {
    AFNetworkReachabilityStatus(text.reduce(into: []) { $0.formUnion(Self.letters[$1] ?? []) })
  }

  @Test func `a period tells its first status, and others only if they are new`() {
    let told = Told()
    let period = Period { _, status in told.note(.block(status)) }
    let flags: [SCNetworkReachabilityFlags] = [
      [], [], .reachable, [.reachable, .isDirect], .reachable, [], .reachable,
    ]
    for flags in flags { period.note(flags) }
    #expect(
      told.all == [
        .block(.notReachable), .block(.reachableViaWiFi), .block(.notReachable), .block(.reachableViaWiFi),
      ])
  }
}
