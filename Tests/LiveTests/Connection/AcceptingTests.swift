// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

extension LiveTests {
  /// Waiting until a real server accepts connections.
  @Suite("Waiting for a server")
  struct AcceptingTests {
    @Test func `a server that starts later is noticed after the pause`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        let target = ReachabilityTarget.address("10.9.0.1")
        // Reserves a port on which nothing listens yet.
        let port = try Listener(in: all.lab.peer).port
        let monitor = all.monitor
        let wait = Task {
          try await monitor.waitUntilAccepting(
            target, port: port, timeout: .seconds(60), pause: .milliseconds(50))
        }
        // The machine's own counter: two attempts were refused, so the wait goes on after a refusal.
        while try all.refusals() < 2 { await Task.yield() }
        let listener = try Listener(in: all.lab.peer, port: port)
        let report = try await wait.value
        #expect(report.isConnected && report.address == "10.9.0.1" && report.port == port)
        _ = try listener.acceptedSource()
      }
    }

    @Test func `a route ends the wait at once, whatever the pause`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        let listener = try Listener(in: all.lab.peer)
        try all.lab.host.ip("route add unreachable 10.9.0.1/32")
        let (monitor, port) = (all.monitor, listener.port)
        let wait = Task {
          try await monitor.waitUntilAccepting(.address("10.9.0.1"), port: port, pause: .seconds(3600))
        }
        // An observer has the tables read.
        while monitor.diagnostics.tableReads == 0 { await Task.yield() }
        try all.lab.host.ip("route del unreachable 10.9.0.1/32")
        try await #expect(wait.value.isConnected)
      }
    }

    @Test func `at the end of the time the error has the last outcome`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        for (address, words) in [("10.9.0.1", "refused"), ("10.66.0.1", "no answer within")] {
          let target = try ReachabilityTarget("tcp://\(address):9")
          let begin = ContinuousClock.now
          let error = await #expect(throws: ReachabilityMonitorError.self) {
            try await all.monitor.waitUntilAccepting(target, timeout: .milliseconds(500), pause: .zero)
          }
          #expect(error?.code == .timedOut && error?.status?.isReachable == true)
          // Without a timeout an attempt takes ten seconds.
          #expect(ContinuousClock.now - begin < .seconds(8))
          #expect(
            error?.description.hasPrefix("\(target) accepted no connection within 0.5 seconds: \(words)")
              == true,
            "\(error?.description ?? "")")
        }
        try all.lab.host.ip("route add unreachable 10.9.0.1/32")
        let error = await #expect(throws: ReachabilityMonitorError.self) {
          try await all.monitor.waitUntilAccepting(.address("10.9.0.1"), port: 9, timeout: .milliseconds(100))
        }
        #expect(error?.status?.reason == .unreachableRoute)
        #expect(error?.description.contains(ReachabilityStatus.Reason.unreachableRoute.description) == true)
      }
    }

    @Test func `an attempt that the end of the time cuts short does not hide the refusal before it`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        let target = try ReachabilityTarget("tcp://10.9.0.1:9")
        let monitor = all.monitor
        let wait = Task {
          try await monitor.waitUntilAccepting(
            target, timeout: .milliseconds(900), pause: .milliseconds(50))
        }
        while try all.refusals() < 1 { await Task.yield() }
        // From now on no refusal arrives.
        try all.lab.peer.ip("route add blackhole 10.1.0.1/32")
        let error = await #expect(throws: ReachabilityMonitorError.self) { try await wait.value }
        #expect(error?.description.contains("refused") == true, "\(error?.description ?? "")")
      }
    }

    @Test func `a target without a port, and a cancelled task, are errors at once`() async {
      await #expect(processExitsWith: .success) {
        let all = try ConnectionLab()
        let error = await #expect(throws: ReachabilityMonitorError.self) {
          try await all.monitor.waitUntilAccepting(.address("10.9.0.1"))
        }
        #expect(error?.code == .notConnectable)
        let monitor = all.monitor
        let wait = Task { try await monitor.waitUntilAccepting(.address("10.66.0.1"), port: 9) }
        try all.waitForPending(1)
        wait.cancel()
        await #expect(throws: ReachabilityMonitorError.cancelled) { try await wait.value }
      }
    }
  }
}

extension ConnectionLab {
  /// The number of connections of this machine that failed, by the kernel's counter.
  fileprivate func refusals() throws -> Int {
    let lines = try lab.host.sh("cat /proc/thread-self/net/snmp").split(separator: "\n")
      .filter { $0.hasPrefix("Tcp:") }.map { $0.split(separator: " ") }
    guard let place = lines.first?.firstIndex(of: "AttemptFails") else { return 0 }
    return Int(lines[1][place]) ?? 0
  }
}
#endif
