// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import LiveSupport
import ReachabilityKit
import Synchronization
import Testing

extension LiveTests {
  /// Handlers that block, release their monitor or create another one.
  @Suite("Handlers")
  struct HandlerTests {
    @Test func `a blocked handler does not delay the others`() throws {
      let lab = try Lab(.ipv4Only)
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      let (isRunning, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let received = Mutex<[ReachabilityStatus]>([])
      let blocked = monitor.observe(FaultLab.far, on: DispatchQueue(label: "blocked")) { event in
        received.withLock { $0.append(event.status) }
        isRunning.signal()
        mayEnd.wait()
      }
      isRunning.wait()
      let recorder = Recorder(monitor, [FaultLab.far])
      let healthy = ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", v0)
      var expected = [healthy]
      recorder.wait("the initial event") { [expected] in $0[FaultLab.far] == expected }
      for _ in 0..<5 {
        try lab.host.ip("route del default")
        expected.append(.notReachable(.noRoute))
        recorder.wait("the loss") { [expected] in $0[FaultLab.far] == expected }
        try lab.host.ip("route add default via 10.1.0.254")
        expected.append(healthy)
        recorder.wait("the return") { [expected] in $0[FaultLab.far] == expected }
      }
      #expect(received.withLock { $0 } == [healthy])
      // The blocked handler receives the missed events in order.
      for _ in expected { mayEnd.signal() }
      for _ in expected.dropFirst() { isRunning.wait() }
      #expect(received.withLock { $0 } == expected)
      withExtendedLifetime(blocked) {}
    }

    @Test func `a handler may create monitors and release its caller`() throws {
      let lab = try Lab(.ipv4Only)
      let monitor = Held(try lab.makeMonitor())
      let token = Held<ReachabilityObservation>()
      let recorder = Held<Recorder>()
      let (isReady, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
      let path = lab.host.path
      token.value = monitor.value?.observe(FaultLab.far, on: DispatchQueue(label: "handler")) { _ in
        isReady.wait()
        // The queue's threads are in another namespace.
        recorder.value = (try? ReachabilityMonitor(in: .path(path))).map {
          Recorder($0, [FaultLab.far, .defaultRoute])
        }
        monitor.value = nil
        token.value = nil
        isOver.signal()
      }
      isReady.signal()
      isOver.wait()
      let next = try #require(recorder.value)
      next.wait("the initial events") {
        $0.count == 2 && $0.values.allSatisfy { $0.last?.isReachable == true }
      }
      try lab.host.ip("route del default")
      next.wait("the change") { $0.values.allSatisfy { $0.last == .notReachable(.noRoute) } }
      #expect(next.problems == [])
    }
  }
}
#endif
