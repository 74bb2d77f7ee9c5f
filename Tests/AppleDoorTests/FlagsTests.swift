// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

/// The status for each combination of the system's flags.
@Suite(.deadline) struct FlagsTests {
  @Test(
    arguments: [
      (0x2, .reachable, nil), (0x20002, .reachable, nil), (0x30002, .reachable, nil), (0x3, .reachable, nil),
      (0x40003, .reachable, nil),
      // Nothing leaves.
      (0, .notReachable, .noRoute), (0x40000, .notReachable, .noRoute),
      // A connection must be established first, by the user or by traffic.
      (0x7, .notReachable, .linkDormant), (0x40007, .notReachable, .linkDormant), (0xf, .reachable, nil),
      (0x27, .reachable, nil),
      // The connection needs user intervention.
      (0x1f, .notReachable, .linkDormant), (0x37, .notReachable, .linkDormant),
    ] as [(UInt32, ReachabilityStatus.State, ReachabilityStatus.Reason?)])
  func `flags determine the state and are kept`(
    value: UInt32, state: ReachabilityStatus.State, reason: ReachabilityStatus.Reason?
  ) {
    let flags = ReachabilityStatus.Flags(rawValue: value)
    let status = Stage(ReachabilityStatus(.reachable, flags: flags)).status(of: .address("192.0.2.7"))
    #expect([status.state] == [state])
    #expect(status.reason == reason)
    #expect(status.flags == flags)
  }

  @Test func `without an answer of the system, the status is unknown`() {
    let stage = Stage(.unknown(.systemError))
    for target in [
      ReachabilityTarget.defaultRoute, .address("192.0.2.7"),
      ReachabilityTarget(.defaultRoute, source: "192.0.2.1"),
    ] {
      #expect(stage.status(of: target) == .unknown(.systemError))
    }
  }

  @Test func `the real functions report the loopback address as local`() {
    let status = PlayedNetwork.$current.withValue(PlayedNetwork(.over(.wifi))) {
      AppleNetworkSource().evaluate(.address("127.0.0.1")).status
    }
    #expect(status.isReachable)
    #expect(status.flags == [.reachable, .isLocalAddress, .isDirect])
    #expect(status.interface?.kind == .loopback)
  }
}
