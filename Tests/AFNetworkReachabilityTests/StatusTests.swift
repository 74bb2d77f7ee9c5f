// SPDX-License-Identifier: Apache-2.0
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

  @Test func `the constants are the statuses`() {
    let constants = [
      AFNetworkReachabilityStatusUnknown, AFNetworkReachabilityStatusNotReachable,
      AFNetworkReachabilityStatusReachableViaWWAN, AFNetworkReachabilityStatusReachableViaWiFi,
    ]
    #expect(constants == [.unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi])
  }

  /// The flags by their letters.
  private static let letters: [Character: SCNetworkReachabilityFlags] = [
    "t": .transientConnection, "R": .reachable, "c": .connectionRequired, "C": .connectionOnTraffic,
    "i": .interventionRequired, "D": .connectionOnDemand, "l": .isLocalAddress, "d": .isDirect,
    "W": SCNetworkReachabilityFlags(rawValue: 1 << 18),
  ]

  @Test(
    arguments: [
      "", "W", "Wc", "c", "D", "Rc", "Rct", "Rci", "RcDi", "RcCi", "RWc", "RWct", "RWcDi",
    ])
  func `these flags are unreachable`(flags: String) {
    #expect(status(flags) == .notReachable)
  }

  @Test(arguments: ["R", "Rd", "Rl", "Rt", "Ri", "RcD", "RcC", "RctD"])
  func `these flags are reachable over a link that is not cellular`(flags: String) {
    #expect(status(flags) == .reachableViaWiFi)
  }

  @Test(arguments: ["RW", "RWt", "RWcD", "RWctC"])
  func `these flags are reachable over a cellular link, except on a Mac`(flags: String) {
    #if os(macOS)
    #expect(status(flags) == .reachableViaWiFi)
    #else
    #expect(status(flags) == .reachableViaWWAN)
    #endif
  }

  @Test func `a dormant modem, dialled link or tunnel is unreachable`() {
    #expect(AFNetworkReachabilityStatus(SCNetworkReachabilityFlags(rawValue: 0x40007)) == .notReachable)
    #expect(AFNetworkReachabilityStatus(SCNetworkReachabilityFlags(rawValue: 0x7)) == .notReachable)
  }

  private func status(_ text: String) -> AFNetworkReachabilityStatus {
    AFNetworkReachabilityStatus(text.reduce(into: []) { $0.formUnion(Self.letters[$1] ?? []) })
  }

  @Test func `a period delivers every event but a repeated first one`() {
    let log = EventLog()
    let period = Period { _, status in log.note(.block(status)) }
    period.record([], mayRepeat: true)
    period.record([], mayRepeat: true)
    period.record(.reachable, mayRepeat: true)
    period.record([.reachable, .isDirect])
    period.record(.reachable)
    #expect(
      log.all == [
        .block(.notReachable), .block(.reachableViaWiFi), .block(.reachableViaWiFi),
        .block(.reachableViaWiFi),
      ])
  }
}
