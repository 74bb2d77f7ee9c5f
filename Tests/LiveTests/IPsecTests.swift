// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import InternetProtocol
import LiveSupport
import RequirementSupport
import Testing

@testable import ReachabilityKit

extension LiveTests {
  /// IPsec policies that stop packets.
  ///
  /// The sockets of a child process decide what is correct.
  @Suite("IPsec policies")
  struct IPsecTests {
    static let far = ReachabilityTarget.address("10.9.0.1")
    static let near = ReachabilityTarget.address("10.1.0.2")
    static let far6 = ReachabilityTarget.address("fd00:9::1")
    static let all4 = "src 0.0.0.0/0 dst 0.0.0.0/0 dir out"
    static let template = "tmpl src 10.1.0.1 dst 10.1.0.2 proto esp mode tunnel"

    /// Creates a lab, or returns `nil` where the kernel has no policies.
    private func makeLab() throws -> Lab? {
      let lab = try Lab()
      return try lab.host.shell("ip xfrm policy").status == 0 ? lab : nil
    }

    private func xfrm(_ lab: Lab, as root: NetworkNamespace? = nil, _ line: String) throws {
      guard let root else {
        try lab.host.ip("xfrm policy \(line)")
        return
      }
      try root.sh("nsenter --net=\(lab.host.path) ip xfrm policy \(line)")
    }

    /// Whether a socket of a target's protocol can be connected and send.
    private func passes(_ lab: Lab, _ target: ReachabilityTarget) throws -> Bool {
      guard case .address(let address) = target.destination else { return false }
      return try lab.connects(to: address)
    }

    @Test func `a policy that blocks all packets stops those of its family`() throws {
      guard let lab = try makeLab() else { return }
      let monitor = try lab.makeMonitor()
      #expect(monitor.currentStatus(of: Self.far).isReachable)
      try xfrm(lab, "add \(Self.all4) action block")
      for target in [Self.far, Self.near, .defaultRoute] as [ReachabilityTarget] {
        var target = target
        if target.destination == .defaultRoute { target.family = .v4 }
        let status = monitor.currentStatus(of: target)
        #expect(status.reason == .blockedByIPsec && status.interface?.name == "v0", "\(target): \(status)")
      }
      #expect(try !passes(lab, Self.far))
      #expect(monitor.currentStatus(of: Self.far6).isReachable)
      // IPv6 still works by default.
      #expect(monitor.currentStatus(of: .defaultRoute).isReachable)
      #expect(monitor.path.isSatisfied && monitor.path.reasonAgainstIPv4 == .blockedByIPsec)
      // The kernel exempts the loopback interface for IPv4.
      #expect(monitor.currentStatus(of: .address("127.0.0.1")).isReachable)
      try xfrm(lab, "add src ::/0 dst ::/0 dir out action block")
      #expect(monitor.currentStatus(of: Self.far6).reason == .blockedByIPsec)
      #expect(monitor.currentStatus(of: .address("::1")).reason == .blockedByIPsec)
      #expect(monitor.currentStatus(of: .defaultRoute).reason == .blockedByIPsec)
      #expect(monitor.path.status == .unsatisfied && monitor.path.reason == .blockedByIPsec)
      try xfrm(lab, "flush")
      for target in [Self.far, Self.near, Self.far6, .defaultRoute] as [ReachabilityTarget] {
        #expect(monitor.currentStatus(of: target).isReachable, "\(target)")
      }
      #expect(monitor.path.isSatisfied && monitor.path.reasonAgainstIPv4 == nil)
    }

    @Test func `exceptions of a policy, by prefix and priority, let packets pass`() throws {
      guard let lab = try makeLab() else { return }
      let monitor = try lab.makeMonitor()
      try xfrm(lab, "add \(Self.all4) priority 100 action block")
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.1.0.0/24 dir out priority 10 action allow")
      for (target, isAllowed) in [(Self.near, true), (Self.far, false), (Self.near, true)] {
        #expect(monitor.currentStatus(of: target).isReachable == isAllowed, "\(target)")
        #expect(try passes(lab, target) == isAllowed, "\(target)")
      }
      // For ports that the target does not have, a policy decides nothing; for its own, it does.
      try xfrm(lab, "flush")
      try xfrm(lab, "add src 0.0.0.0/0 dst 0.0.0.0/0 proto udp dport 53 dir out action block")
      #expect(monitor.currentStatus(of: Self.far).isReachable)
      let dns = ReachabilityTarget(.address("10.9.0.1"), transport: .udp, port: 53)
      #expect(monitor.currentStatus(of: dns).reason == .blockedByIPsec)
      #expect(
        monitor.currentStatus(of: ReachabilityTarget(.address("10.9.0.1"), transport: .tcp, port: 53))
          .isReachable)
      // Incoming packets are of no concern.
      try xfrm(lab, "flush")
      try xfrm(lab, "add src 0.0.0.0/0 dst 0.0.0.0/0 dir in action block")
      #expect(monitor.currentStatus(of: Self.far).isReachable)
    }

    @Test func `a policy for UDP alone does not block TCP`() throws {
      guard let lab = try makeLab() else { return }
      let monitor = try lab.makeMonitor()
      try xfrm(lab, "add src 0.0.0.0/0 dst 0.0.0.0/0 proto udp dir out action block")
      let udp = ReachabilityTarget(.address("10.9.0.1"), transport: .udp, port: 9)
      #expect(monitor.currentStatus(of: udp).reason == .blockedByIPsec)
      // Only where the kernel has another protocol than UDP to try can the two be told apart.
      guard try lab.host.shell("grep -q UDP-Lite /proc/net/protocols").status == 0 else { return }
      #expect(monitor.currentStatus(of: Self.far).isReachable)
    }

    @Test func `observers and the path see a policy come and go`() throws {
      guard let lab = try makeLab() else { return }
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.far, Self.near, Self.far6])
      recorder.wait("the initial events") { $0.count == 3 }
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.9.0.0/16 dir out action block")
      recorder.wait("a blocked prefix") { $0[Self.far]?.last?.reason == .blockedByIPsec }
      try xfrm(lab, "delete src 0.0.0.0/0 dst 10.9.0.0/16 dir out")
      recorder.wait("no policy") { $0[Self.far]?.last?.isReachable == true }
      for target in [Self.near, Self.far6] { #expect(recorder.statuses[target]?.count == 1, "\(target)") }
      #expect(recorder.statuses[Self.far]?.count == 3)
      #expect(recorder.problems == [])
    }

    @Test func `observers of the path see a policy come and go`() throws {
      guard try makeLab() != nil else { return }
      let lab = try PathLab(.ipv4Only)
      try lab.lab.host.ip("xfrm policy add \(Self.all4) action block")
      lab.wait("an unsatisfied path") {
        $0.last?.status == .unsatisfied && $0.last?.reason == .blockedByIPsec
      }
      try lab.lab.host.ip("xfrm policy flush")
      lab.wait("a satisfied path") { $0.last?.isSatisfied == true }
    }

    @Test func `without privileges a policy is found, and its end within a few seconds`() throws {
      guard let lab = try makeLab() else { return }
      let root = try NetworkNamespace()
      try lab.host.dropRights()
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [Self.far])
      recorder.wait("the initial event") { $0[Self.far]?.last?.isReachable == true }
      try xfrm(lab, as: root, "add \(Self.all4) action block")
      #expect(monitor.currentStatus(of: Self.far).reason == .blockedByIPsec)
      monitor.refresh()
      recorder.wait("a policy") { $0[Self.far]?.last?.reason == .blockedByIPsec }
      let explanation = monitor.currentExplanation(of: Self.far)
      #expect(explanation.firstFailure?.kind == .ipsec)
      #expect(explanation.firstFailure?.advice?.hasPrefix("Find it, as root: ip xfrm policy") == true)
      try xfrm(lab, as: root, "flush")
      recorder.wait("no policy") { $0[Self.far]?.last?.isReachable == true }
      #expect(monitor.currentStatus(of: Self.far).isReachable)
    }

    @Test func `without privileges one blocked target of many is found`() throws {
      guard let lab = try makeLab() else { return }
      let root = try NetworkNamespace()
      try lab.host.dropRights()
      let monitor = try lab.makeMonitor()
      let targets = (1...40).compactMap { ReachabilityAddress("10.9.0.\($0)") }.map {
        ReachabilityTarget.address($0)
      }
      let recorder = Recorder(monitor, targets)
      recorder.wait("the initial events") { $0.count == 40 }
      try xfrm(lab, as: root, "add src 0.0.0.0/0 dst 10.9.0.33/32 dir out action block")
      // Some program meets the policy.
      #expect(try !passes(lab, targets[32]))
      monitor.refresh()
      recorder.wait("the blocked one") { $0[targets[32]]?.last?.reason == .blockedByIPsec }
      #expect(targets.allSatisfy { recorder.statuses[$0]?.last?.isReachable == ($0 != targets[32]) })
      try xfrm(lab, as: root, "flush")
      recorder.wait("no policy") { $0[targets[32]]?.last?.isReachable == true }
    }

    /// Runs the command of an advice, from after its last colon.
    private func follow(_ advice: String?, _ lab: Lab) throws {
      let command = try #require(advice?.components(separatedBy: ": ").last?.dropLast())
      #expect(command.hasPrefix("ip xfrm policy delete "), "\(command)")
      _ = try lab.host.sh(String(command))
    }

    @Test(
      arguments: [
        "src 0.0.0.0/0 dst 0.0.0.0/0 dir out action block",
        "src 10.1.0.0/24 dst 10.9.0.0/16 dir out priority 7 action block",
        "src 0.0.0.0/0 dst 10.9.0.0/16 dir out action block mark 5 mask 0xff",
        "src 0.0.0.0/0 dst 10.9.0.0/16 proto udp dport 53 dir out action block",
      ])
    func `an explanation names the policy that blocks, and its advice removes it`(_ policy: String) throws {
      guard let lab = try makeLab() else { return }
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.8.0.0/16 dir out action block")
      try xfrm(lab, "add \(policy)")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      var target = Self.far
      if policy.contains("mark") { target.mark = 5 }
      if policy.contains("udp") { (target.transport, target.port) = (.udp, 53) }
      // A policy for another port is not named.
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.0.0.0/8 proto udp dport 54 priority 0 dir out action block")
      let explanation = all.explain(target)
      #expect(explanation.firstFailure?.kind == .ipsec)
      #expect(
        explanation.firstFailure?.fact.contains(
          "dst \(policy.contains("dst 10.9") ? "10.9.0.0/16" : "0.0.0.0/0")") == true)
      #expect(explanation.firstFailure?.problem == "An IPsec policy blocks packets to 10.9.0.1.")
      // The route is fine, and is explained.
      #expect(explanation.steps.first { $0.kind == .route }?.verdict == .passed)
      try follow(explanation.firstFailure?.advice, lab)
      #expect(all.explain(target).status.isReachable)
      #expect(try passes(lab, target))
    }

    @Test(.needsPython) func `only the kernel's announcement of a policy causes an evaluation`() throws {
      guard let lab = try makeLab() else { return }
      // The kernel adds this address in the background, and announces it.
      try lab.host.sh(
        "for i in $(seq 2000); do ip -6 addr show dev v0 scope link -tentative | grep -q fe80 && exit; done; exit 1"
      )
      // The kernel does not announce a change of this setting, on which the target's source depends.
      let strange = ReachabilityTarget(Self.far6.destination, source: "fd00:77::1")
      let monitor = try lab.makeMonitor()
      let recorder = Recorder(monitor, [strange, Self.near])
      recorder.wait("the initial events") { $0.count == 2 }
      try #require(recorder.statuses[strange]?.last?.reason == .sourceAddressMissing)
      try lab.host.writeSysctl("net/ipv6/ip_nonlocal_bind", "1")
      // XFRMNLGRP_POLICY.
      let sent = try Stranger(in: lab.host).run(
        "print(open_socket(0, \(Stranger.ipsec)).sendto(message(0x13, bytes(168)), (0, 1 << 3)))")
      #expect(sent == ["184"])
      // A later change that concerns only the other target.
      try lab.host.ip("route add blackhole 10.1.0.2/32")
      recorder.wait("the change") { $0[Self.near]?.last?.reason == .blackhole }
      #expect(recorder.statuses[strange]?.count == 1)
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.8.0.0/16 dir out action block")
      recorder.wait("an evaluation") { $0[strange]?.count == 2 }
      #expect(recorder.problems == [])
    }

    @Test func `an explanation says that a template has no state, and its advice removes it`() throws {
      guard let lab = try makeLab() else { return }
      try xfrm(lab, "add src 0.0.0.0/0 dst 10.9.0.0/16 dir out \(Self.template)")
      let all = try ExplanationLab(lab)
      defer { all.cleanUp() }
      let explanation = all.explain(Self.far)
      let step = explanation.steps.first { $0.kind == .ipsec }
      #expect(step?.verdict == .unknown)
      #expect(step?.problem == "An IPsec policy for 10.9.0.1 requires a state (SA) that does not exist.")
      #expect(step?.fact.contains("dst 10.9.0.0/16") == true)
      #expect(explanation.summary.contains("no state"), "\(explanation.summary)")
      #expect(all.step(.ipsec, of: Self.near) == nil)
      try follow(step?.advice, lab)
      #expect(all.step(.ipsec, of: Self.far) == nil)
    }
  }
}
#endif
