// SPDX-License-Identifier: Apache-2.0
import AppleReachability
import ClassicSupport
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

/// The meaning of flags, read from a target that has them.
@Suite(.deadline) struct StatusTests {
  private func make(_ flags: String, _ factory: () -> Reachability?) throws -> Reachability {
    let made = SimulatedNetwork(ReachabilityStatus(flags)).withSystemConfiguration(factory)
    return try #require(made)
  }

  @Test(
    arguments: [
      ("", .notReachable), ("W", .notReachable), ("Wc", .notReachable), ("c", .notReachable),
      ("D", .notReachable), ("R", .reachableViaWiFi), ("Rd", .reachableViaWiFi), ("Rl", .reachableViaWiFi),
      ("Rt", .reachableViaWiFi), ("Rc", .notReachable), ("Rct", .notReachable), ("RcD", .reachableViaWiFi),
      ("RcC", .reachableViaWiFi), ("Rci", .notReachable), ("RcDi", .notReachable),
      ("RctD", .reachableViaWiFi), ("RW", .reachableViaWWAN), ("RWt", .reachableViaWWAN),
      ("RWc", .reachableViaWWAN), ("RWct", .reachableViaWWAN), ("RWcD", .reachableViaWWAN),
      ("RWctC", .reachableViaWWAN), ("RWcDi", .reachableViaWWAN),
    ] as [(String, NetworkStatus)])
  func `the status follows from the flags`(flags: String, status: NetworkStatus) throws {
    let reachability = try make(flags) { .forInternetConnection() }
    #expect(reachability.currentReachabilityStatus() == status)
    #expect(reachability.connectionRequired() == flags.contains("c"))
  }

  @Test(
    arguments: [
      ("", .notReachable), ("R", .notReachable), ("d", .notReachable), ("Rd", .reachableViaWiFi),
      ("Rdl", .reachableViaWiFi), ("RWd", .reachableViaWiFi), ("RW", .notReachable),
      ("Rcd", .reachableViaWiFi), ("Rdt", .notReachable), ("Rt", .notReachable), ("RWt", .notReachable),
    ] as [(String, NetworkStatus)])
  func `a direct link-local address means a local network`(
    flags: String, status: NetworkStatus
  ) throws {
    let reachability = try make(flags) { .forLocalWiFi() }
    #expect(reachability.currentReachabilityStatus() == status)
  }

  @Test(
    arguments: [
      (ReachabilityInterface(name: "wwan0", index: 4, kind: .cellular), .reachableViaWWAN),
      (ReachabilityInterface(name: "ppp0", index: 5, kind: .other, linkType: "ppp"), .notReachable),
      (ReachabilityInterface(name: "tun0", index: 6, kind: .other, isTunnel: true), .notReachable),
    ] as [(ReachabilityInterface, NetworkStatus)])
  func `a dormant link requires a connection, which a modem makes on demand`(
    link: ReachabilityInterface, status: NetworkStatus
  ) throws {
    let network = SimulatedNetwork(.notReachable(.linkDormant, over: link))
    let reachability = try #require(network.withSystemConfiguration { Reachability.forInternetConnection() })
    #expect(reachability.currentReachabilityStatus() == status)
    #expect(reachability.connectionRequired())
  }

  @Test func `a target with unknown flags is not reachable`() throws {
    let network = SimulatedNetwork(.unknown(.systemError))
    let reachability = try #require(network.withSystemConfiguration { Reachability.forInternetConnection() })
    #expect(reachability.currentReachabilityStatus() == NotReachable)
    #expect(!reachability.connectionRequired())
    let localNetwork = try #require(network.withSystemConfiguration { Reachability.forLocalWiFi() })
    #expect(localNetwork.currentReachabilityStatus() == NotReachable)
    network.setStatus(ReachabilityStatus("Rcd"))
    #expect(reachability.connectionRequired())
    #expect(localNetwork.currentReachabilityStatus() == ReachableViaWiFi)
  }

  @Test func `the constants have the original's numbers`() {
    #expect([NotReachable, ReachableViaWiFi, ReachableViaWWAN].map(\.rawValue) == [0, 1, 2])
    #expect(NetworkStatus(rawValue: 3) == nil)
    switch ReachableViaWWAN {
    case NotReachable, ReachableViaWiFi: Issue.record("another status")
    case ReachableViaWWAN: break
    default: Issue.record("no status")
    }
  }
}
