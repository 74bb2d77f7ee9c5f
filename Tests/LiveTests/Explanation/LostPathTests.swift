// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import Testing

@testable import ReachabilityKit

/// Explanations of rules and links that lose packets, on a real kernel.
extension LiveExplanationTests {
  @Suite("Explanations of lost paths")
  struct LostPathTests {
    private func explain(
      _ target: String, over interface: String? = nil, _ prepare: (Lab) throws -> Void
    ) throws -> ReachabilityExplanation {
      let lab = try Lab()
      try prepare(lab)
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      var target = try ReachabilityTarget(target)
      target.interface = interface.map { .name($0) }
      return all.explain(target)
    }

    @Test func `a rule that leaves out the default route is named`() throws {
      let explanation = try explain("10.9.0.1") { lab in
        try lab.host.ip("rule add pref 100 lookup main suppress_prefixlength 0")
        try lab.host.ip("rule del pref 32766")
      }
      let step = explanation.firstFailure
      #expect(step?.kind == .route)
      #expect(
        step?.fact.contains("rule 100 leaves out the route default of table main") == true, "\(explanation)")
      #expect(
        step?.problem == "A rule leaves out the route to 10.9.0.1 in table main (suppress_prefixlength).")
    }

    @Test func `a rule for packets that are bound to an interface is named, with its removal`() throws {
      let explanation = try explain("10.9.0.1", over: "v0") { lab in
        try lab.host.ip("rule add pref 100 oif v0 prohibit")
      }
      #expect(explanation.firstFailure?.fact == "rule 100 (over v0): prohibit", "\(explanation)")
      #expect(explanation.firstFailure?.advisedCommands == ["ip rule del pref 100 oif v0 prohibit"])
    }

    @Test func `a route for an address without a subnet is on the link`() throws {
      let explanation = try explain("10.9.0.1") { lab in
        try lab.host.ip("address flush dev v0")
        try lab.host.ip("address add 10.1.0.1/32 dev v0")
      }
      #expect(
        explanation.firstFailure?.advice?.hasSuffix("ip route add default via GATEWAY dev v0 onlink.")
          == true,
        "\(explanation)")
    }

    @Test func `a bridge whose ports are held back waits`() throws {
      let explanation = try explain("10.9.0.1") { lab in
        try lab.host.ip("address flush dev v0")
        try lab.host.ip("link add b0 type bridge stp_state 1")
        try lab.host.ip("link set v0 master b0")
        try lab.host.ip("address add 10.1.0.1/24 dev b0")
        try lab.host.ip("link set b0 up")
        try lab.host.ip("route add default via 10.1.0.254")
      }
      #expect(explanation.firstFailure?.advice?.contains("spanning tree") == true, "\(explanation)")
    }

    @Test func `a link-local IPv4 address behind a default route is a likely cause`() throws {
      let explanation = try explain("10.9.0.1") { lab in
        try lab.host.ip("address flush dev v0")
        try lab.host.ip("address add 169.254.7.7/16 dev v0")
        try lab.host.ip("route add default dev v0")
      }
      #expect(explanation.status.isReachable)
      let step = explanation.steps.first { $0.problem != nil }
      #expect(step?.kind == .addresses && step?.problem?.contains("no DHCP server answers") == true)
    }
  }
}
#endif
