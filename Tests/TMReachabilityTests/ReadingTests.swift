// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

/// The meaning of flags, read from a target that has them.
@Suite(.deadline) struct ReadingTests {
  private func make(_ flags: String) throws -> TMReachability.Reachability {
    try make(SimulatedNetwork(ReachabilityStatus(flags)))
  }

  private func make(_ network: SimulatedNetwork) throws -> TMReachability.Reachability {
    let made = network.withSystemConfiguration { Reachability.forInternetConnection() }
    return try #require(made)
  }

  @Test(
    arguments: [
      ("", .NotReachable), ("W", .NotReachable), ("Wc", .NotReachable), ("c", .NotReachable),
      ("D", .NotReachable), ("R", .ReachableViaWiFi), ("Rd", .ReachableViaWiFi), ("Rl", .ReachableViaWiFi),
      ("Rt", .ReachableViaWiFi), ("Rc", .ReachableViaWiFi), ("Rct", .NotReachable),
      ("RcD", .ReachableViaWiFi), ("RcC", .ReachableViaWiFi), ("Rci", .ReachableViaWiFi),
      ("RcDi", .ReachableViaWiFi), ("RctD", .NotReachable), ("RW", .ReachableViaWWAN),
      ("RWt", .ReachableViaWWAN), ("RWc", .ReachableViaWWAN), ("RWct", .NotReachable),
      ("RWcD", .ReachableViaWWAN), ("RWctC", .NotReachable), ("RWcDi", .ReachableViaWWAN),
    ] as [(String, NetworkStatus)])
  func `the status follows from the flags`(flags: String, status: NetworkStatus) throws {
    let reachability = try make(flags)
    #expect(reachability.reachableOnWWAN)
    #expect(reachability.currentReachabilityStatus() == status)
    #expect(reachability.isReachable() == (status != .NotReachable))

    reachability.reachableOnWWAN = false
    #expect(!reachability.reachableOnWWAN)
    let strict: NetworkStatus = flags.contains("W") ? .NotReachable : status
    #expect(reachability.currentReachabilityStatus() == strict)
    #expect(reachability.isReachable() == (strict != .NotReachable))

    // The kind of link does not depend on reachableOnWWAN or on a required connection.
    #expect(reachability.isReachableViaWWAN() == (flags.contains("R") && flags.contains("W")))
    #expect(reachability.isReachableViaWiFi() == (flags.contains("R") && !flags.contains("W")))
    #expect(reachability.reachabilityFlags() == SCNetworkReachabilityFlags(flags))
  }

  @Test(
    arguments: [
      ("", false, false, false), ("R", false, false, false), ("c", true, false, false),
      ("Rc", true, false, false), ("RcC", true, true, false), ("RcD", true, true, false),
      ("RC", false, false, false), ("RD", false, false, false), ("RcDi", true, true, true),
      ("Rci", true, false, true), ("Ri", false, false, false),
    ])
  func `the required steps follow from the flags`(
    flags: String, required: Bool, onDemand: Bool, intervention: Bool
  ) throws {
    let reachability = try make(flags)
    #expect(reachability.isConnectionRequired() == required)
    #expect(reachability.connectionRequired() == required)
    #expect(reachability.isConnectionOnDemand() == onDemand)
    #expect(reachability.isInterventionRequired() == intervention)
  }

  @Test(
    arguments: [
      ("", "-- -------"), ("R", "-R -------"), ("RW", "WR -------"), ("Rc", "-R c------"),
      ("RctD", "-R ct--D--"), ("RcCi", "-R c-iC---"), ("Rld", "-R -----ld"), ("WRtcCiDld", "WR ctiCDld"),
    ])
  func `each flag has its letter`(flags: String, text: String) throws {
    let reachability = try make(flags)
    #expect(reachability.currentReachabilityFlags() == text)
    let address = String(UInt(bitPattern: ObjectIdentifier(reachability)), radix: 16)
    #expect(reachability.description == "<Reachability: 0x\(address) (\(text))>")
  }

  @Test func `a dormant modem, dialled link or tunnel is unreachable`() throws {
    for (kind, isTunnel, linkType) in [
      (ReachabilityInterface.Kind.cellular, false, nil), (.other, false, "ppp"), (.other, true, nil),
    ] {
      let link = ReachabilityInterface(
        name: "ppp0", index: 4, kind: kind, isTunnel: isTunnel, linkType: linkType)
      let reachability = try make(SimulatedNetwork(.notReachable(.linkDormant, over: link)))
      #expect(!reachability.isReachable())
      #expect(reachability.currentReachabilityStatus() == .NotReachable)
      #expect(reachability.isConnectionRequired())
      #expect(reachability.isReachableViaWWAN() == (kind == .cellular))
    }
  }

  @Test func `a target with unknown flags is not reachable`() throws {
    let network = SimulatedNetwork(.unknown(.systemError))
    let reachability = try make(network)
    #expect(reachability.reachabilityFlags() == [])
    #expect(!reachability.isReachable())
    #expect(reachability.currentReachabilityStatus() == NotReachable)
    network.setStatus(ReachabilityStatus("R"))
    #expect(reachability.isReachable())
  }

  @Test func `every answer reads the flags once`() throws {
    let source = ChangingSource(["RW", "", "R"])
    let made = ReachabilityMonitor.$substitute.withValue(ReachabilityMonitor(source: source)) {
      Reachability.forInternetConnection()
    }
    let reachability = try #require(made)
    let statuses = (0..<3).map { _ in reachability.currentReachabilityStatus() }
    #expect(statuses == [.ReachableViaWWAN, .NotReachable, .ReachableViaWiFi])
    _ = reachability.currentReachabilityString()
    _ = reachability.isReachable()
    #expect(source.count == 5)
  }

  @Test func `the constants have the original's numbers and names`() {
    #expect([NotReachable, ReachableViaWiFi, ReachableViaWWAN].map(\.rawValue) == [0, 2, 1])
    #expect(
      [NotReachable, ReachableViaWiFi, ReachableViaWWAN] == [
        .notReachable, .reachableViaWiFi, .reachableViaWWAN,
      ])
    #expect(kReachabilityChangedNotification.rawValue == "kReachabilityChangedNotification")
    #expect(.reachabilityChanged == kReachabilityChangedNotification)
    #expect(NetworkStatus(rawValue: 3) == nil)
  }
}
