// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Attempts to connect to real listeners.
  @Suite("Connections")
  struct ConnectionTests {
    /// The source address of the next connection.
    private static func source(_ listener: Listener) throws -> ReachabilityAddress? {
      ReachabilityAddress(octets: try listener.acceptedSource())?.unmapped
    }

    @Test func `only the resolver's first address is tried if it answers`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:9::1 both.test\n10.9.0.1 both.test")
        let listener = try Listener(in: all.lab.peer)
        // On a busy machine the answer may take longer than the usual head start.
        let report = try await all.connect("both.test", port: listener.port, attemptDelay: .seconds(60))
        #expect(report.attempts.map(\.address) == ["fd00:9::1", "10.9.0.1"])
        #expect(report.attempts.map(\.outcome) == [.connected, .notTried])
        #expect(report.address == "fd00:9::1")
        #expect(report.status.isReachable)
        #expect(report.attempts[0].start.map { $0 < .seconds(10) } == true)
        #expect(report.duration >= report.attempts[0].duration)
        #expect(try ConnectionTests.source(listener) == "fd00:1::1")
        // A resolved name is used without a wait.
        #expect(try await all.connect("both.test", port: listener.port).isConnected)
      }
    }

    @Test func `the other family connects after the head start if one is silent`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:66::1 half.test\n10.9.0.1 half.test")
        let listener = try Listener(in: all.lab.peer)
        let report = try await all.connect("half.test", port: listener.port)
        #expect(report.attempts.map(\.outcome) == [.abandoned, .connected])
        let start = try #require(report.attempts.last?.start)
        // A busy machine may be late, but not by the seconds of a system timeout.
        #expect(start > .milliseconds(249) && start < .seconds(3), "\(start)")
        #expect(report.address == "10.9.0.1")
        #expect(try all.pendingCount() == 0)
      }
    }

    @Test func `a refusal is reported and the next address tried immediately`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:9::1 closed.test\n10.9.0.1 closed.test")
        let report = try await all.connect("closed.test", port: 9, attemptDelay: .seconds(60))
        #expect(report.attempts.map(\.outcome) == [.refused, .refused])
        #expect(report.address == nil && !report.isConnected)
        #expect(report.duration < .seconds(20))
      }
    }

    @Test func `an unanswered attempt times out and leaves no connection`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:66::1 dead.test\n10.66.0.1 dead.test\n10.66.0.2 dead.test")
        let report = try await all.connect(
          "dead.test", port: 80, timeout: .seconds(1), attemptDelay: .milliseconds(50))
        #expect(report.attempts.map(\.address.family) == [.v6, .v4, .v4])
        #expect(report.attempts.map(\.outcome) == [.timedOut, .timedOut, .timedOut])
        #expect(report.duration + report.lookUpDuration >= .seconds(1))
        #expect(report.duration < .seconds(10))
        #expect(try all.pendingCount() == 0)
      }
    }

    // Linux routers report such a route differently in each family.
    @Test(arguments: [("10.67.0.1", EHOSTUNREACH), ("fd00:67::1", ENETUNREACH)])
    func `a router's unreachable message ends the attempt`(_ address: String, _ error: Int32) async throws {
      let all = try ConnectionLab()
      let report = try await all.connect(address, port: 80)
      #expect(report.attempts.map(\.outcome) == [.failed(errorNumber: error)])
      // An error of the host itself would have no reporter.
      #expect(report.attempts.first?.reporter == (address == "10.67.0.1" ? "10.1.0.254" : "fd00:1::fe"))
      #expect(report.status.isReachable)
    }

    @Test func `a local refusal is reported with its error number`() async throws {
      let all = try ConnectionLab()
      try all.lab.host.ip("route del default")
      let report = try await all.connect("10.9.0.1", port: 80)
      #expect(report.attempts.map(\.outcome) == [.failed(errorNumber: ENETUNREACH)])
      #expect(report.status == .notReachable(.noRoute))
      let missing = ReachabilityTarget(.address("10.1.0.254"), interface: .name("none0"))
      let none = try await all.monitor.connect(to: missing, port: 80)
      #expect(none.attempts.map(\.outcome) == [.failed(errorNumber: ENODEV)])
      let foreign = ReachabilityTarget(.address("10.1.0.254"), source: "10.5.5.5")
      let strange = try await all.monitor.connect(to: foreign, port: 80)
      #expect(strange.attempts.map(\.outcome) == [.failed(errorNumber: EADDRNOTAVAIL)])
    }

    @Test func `a target's constraints apply to its connections`() async throws {
      let all = try ConnectionLab()
      let listener = try Listener(in: all.lab.peer)
      try all.lab.host.ip("addr add 10.1.0.77/24 dev v0")
      let target = ReachabilityTarget(
        .address("10.9.0.1"), source: "10.1.0.77", interface: .name("v0"), mark: 0x42)
      let report = try await all.monitor.connect(to: target, port: listener.port)
      // No name was looked up.
      #expect(report.isConnected && report.lookUpDuration == .zero, "\(report)")
      #expect(try ConnectionTests.source(listener) == "10.1.0.77")
      let link = try #require(
        try all.lab.peer.sh("ip -6 -o addr show dev p0 scope link").split(separator: " ").first {
          $0.hasPrefix("fe80")
        })
      let near = try await all.connect("\(link.dropLast(3))%v0", port: listener.port)
      #expect(near.isConnected, "\(near)")
      #expect(near.attempts.first?.interface == .name("v0"))
    }

    @Test func `a connection has the mark of its target`() async throws {
      let all = try ConnectionLab()
      let listener = try Listener(in: all.lab.peer)
      try all.lab.host.ip("rule add fwmark 0x42 lookup main pref 4")
      try all.lab.host.ip("rule add to 10.9.0.0/16 prohibit pref 5")
      for mark in [0x42, 0x43] as [UInt32] {
        let target = ReachabilityTarget(.address("10.9.0.1"), mark: mark)
        let report = try await all.monitor.connect(to: target, port: listener.port)
        let outcome: ReachabilityConnectionReport.Attempt.Outcome =
          mark == 0x42 ? .connected : .failed(errorNumber: EACCES)
        #expect(report.attempts.map(\.outcome) == [outcome])
      }
    }

    @Test func `a name without addresses is reported without an attempt`() async throws {
      let all = try ConnectionLab()
      let report = try await all.connect("missing.test", port: 80)
      #expect(report.status.reason == .nameNotFound)
      #expect(report.attempts == [])
    }

    @Test func `a monitor connects in its own namespace from any thread`() async throws {
      let all = try ConnectionLab()
      let listener = try Listener(in: all.lab.peer)
      let outside = try NetworkNamespace()
      let monitor = try outside.run { [path = all.lab.host.path] in try ReachabilityMonitor(in: .path(path)) }
      let report = try await monitor.connect(to: .address("10.9.0.1"), port: listener.port)
      #expect(report.isConnected)
      #expect(try ConnectionTests.source(listener) == "10.1.0.1")
      let local = try Listener(in: all.lab.host)
      #expect(try await monitor.connect(to: .address("127.0.0.1"), port: local.port).isConnected)
    }

    @Test func `a cancelled attempt returns immediately and closes its sockets`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:66::1 dead.test\n10.66.0.1 dead.test")
        let attempt = Task {
          try await all.connect(
            "dead.test", port: 80, timeout: .seconds(600), attemptDelay: .milliseconds(10))
        }
        try all.waitForPending(2)
        let moment = ContinuousClock.now
        attempt.cancel()
        await #expect(throws: ReachabilityMonitorError.cancelled) { try await attempt.value }
        #expect(ContinuousClock.now - moment < .seconds(10))
        #expect(try all.pendingCount() == 0)
        let late = Task {
          // Until the task is cancelled.
          try? await Task.sleep(for: .seconds(600))
          return try await all.connect("dead.test", port: 80)
        }
        late.cancel()
        await #expect(throws: ReachabilityMonitorError.cancelled) { try await late.value }
      }
    }

    // Slow: a process of its own, and connections that no one answers.
    @Test func `an attempt leaves no descriptor open, however it ends`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab(hosts: "fd00:66::1 half.test\n10.9.0.1 half.test")
        let listener = try Listener(in: all.lab.peer)
        // Opens what stays open for the process: Dispatch has a timer from the first sleeping task on.
        try await Task.sleep(for: .milliseconds(1))
        _ = try await all.connect("half.test", port: listener.port, attemptDelay: .milliseconds(10))
        let before = OpenDescriptor.all
        for _ in 0..<5 {
          for (target, port) in [("half.test", listener.port), ("10.9.0.1", 9), ("10.67.0.1", 80)] {
            _ = try await all.connect(target, port: port, attemptDelay: .milliseconds(10))
          }
          _ = try await all.connect("10.66.0.1", port: 80, timeout: .milliseconds(20))
          let attempt = Task { try await all.connect("10.66.0.1", port: 80) }
          try all.waitForPending(1)
          attempt.cancel()
          _ = await attempt.result
        }
        // The thread closes its wake-up descriptor shortly after it has finished.
        let deadline = ContinuousClock.now + .seconds(5)
        while OpenDescriptor.all != before, ContinuousClock.now < deadline { sched_yield() }
        let left = OpenDescriptor.all.subtracting(before).map(\.name)
        #expect(left == [], "\(left)")
      }
    }

    @Test func `an attempt without free descriptors reports the error`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        try Faults.limitDescriptors(to: Int(OpenDescriptor.all.map(\.number).max() ?? 0) + 1)
        defer { try? Faults.limitDescriptors(to: nil) }
        while unsafe open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0 {}
        await #expect(throws: ReachabilityMonitorError.self) { try await all.connect("10.9.0.1", port: 9) }
      }
    }

    @Test func `without a port, a target's own is connected to`() async throws {
      let all = try ConnectionLab()
      let listener = try Listener(in: all.lab.peer)
      let monitor = try all.lab.host.run { try ReachabilityMonitor() }
      #expect(try await monitor.connect(to: .address("10.9.0.1", port: listener.port)).isConnected)
      let error = await #expect(throws: ReachabilityMonitorError.self) {
        try await monitor.connect(to: .address("10.9.0.1"))
      }
      #expect(error?.description == "cannot connect to 10.9.0.1: it has no port")
    }

    @Test func `an invalid address is not connected to`() async throws {
      let all = try ConnectionLab()
      for (target, port) in [("default", 80), ("10.9.0.1", 0)] as [(String, UInt16)] {
        let error = await #expect(throws: ReachabilityMonitorError.self) {
          try await all.connect(target, port: port)
        }
        #expect(error?.code == .notConnectable)
      }
    }
  }
}
#endif
