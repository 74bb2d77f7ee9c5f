// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import LiveSupport
import Testing

@testable import ReachabilityKit

extension LiveTests {
  /// A monitor in a forked child that runs no other program.
  @Suite("Forks")
  struct ForkTests {
    /// Why a child fails; its exit status.
    enum Complaint: Int32 {
      case none, status, path, sharedMonitor, newMonitor, newPath, change
    }

    @Test func `a forked child takes nothing from its parent and can monitor`() async {
      await #expect(processExitsWith: .success) {
        let fault = try FaultLab()
        let host = fault.lab.host
        let (monitor, healthy) = (fault.monitor, fault.healthy)
        let shared = try host.run { ReachabilityMonitor.shared }
        #expect(shared.currentStatus(of: FaultLab.far).isReachable)
        let queue = DispatchQueue(label: "parent")
        let isObserved = DispatchSemaphore(value: 0)
        let observation = Held(monitor.observe(FaultLab.near, on: queue) { _ in isObserved.signal() })
        // A child inherits locked locks of the Swift runtime, so the other threads must be idle during the fork.
        isObserved.wait()
        let child = try host.run {
          try Faults.fork(within: 20) {
            Self.use(monitor, healthy, and: queue, observation)
          }
        }
        // A lost or stolen answer would change a status.
        for _ in 0..<4000 {
          for (target, status) in healthy {
            let answer = monitor.currentStatus(of: target)
            guard answer == status else {
              Issue.record("\(target) became \(answer)")
              return
            }
          }
        }
        for round in 1...10 {
          try host.ip("route del default")
          fault.recorder.wait("loss \(round)") { $0[FaultLab.far]?.last?.reason == .noRoute }
          try host.ip("route add default via 10.1.0.254 metric 100")
          fault.expectHealthy("return \(round)")
        }
        #expect(Complaint(rawValue: try child.wait()) == Complaint.none)
        #expect(fault.recorder.statuses[FaultLab.far]?.count == 21)
        #expect(fault.recorder.problems == [])
        withExtendedLifetime((shared, observation)) {}
      }
    }

    /// The actions of the child.
    private static func use(
      _ monitor: ReachabilityMonitor, _ healthy: [ReachabilityTarget: ReachabilityStatus],
      and queue: DispatchQueue,
      _ inherited: Held<ReachabilityObservation>
    ) -> Int32 {
      let complaint = complaint(about: monitor, healthy, queue)
      // The child may release the inherited monitor.
      inherited.value = nil
      return complaint.rawValue
    }

    private static func complaint(
      about monitor: ReachabilityMonitor, _ healthy: [ReachabilityTarget: ReachabilityStatus],
      _ queue: DispatchQueue
    ) -> Complaint {
      let clock = ContinuousClock()
      let end = clock.now.advanced(by: .seconds(1))
      guard let own = try? ReachabilityMonitor() else { return .newMonitor }
      while clock.now < end {
        for (target, status) in healthy {
          guard monitor.currentStatus(of: target) == .unknown(.systemError) else { return .status }
          let answer = own.currentStatus(of: target)
          guard answer == status || answer.reason == .noRoute else { return .newMonitor }
        }
        guard monitor.path.status == .unknown else { return .path }
        guard own.path.status != .unknown else { return .newPath }
        monitor.refresh()
        monitor.observe(FaultLab.far, on: queue) { _ in }.cancel()
      }
      let shared = ReachabilityMonitor.shared
      guard shared.currentStatus(of: FaultLab.far).state != .unknown
      else {
        return .sharedMonitor
      }
      return .none
    }

    @Test func `a started program inherits no descriptor`() async {
      await #expect(processExitsWith: .success) {
        let list = "ls /proc/self/fd"
        let before = try NetworkNamespace().sh(list)
        let fault = try FaultLab()
        let others = OpenDescriptor.all
        let queue = DispatchQueue(label: "paths")
        let received = DispatchSemaphore(value: 0)
        let path = fault.monitor.observePath(on: queue) { _ in received.signal() }
        received.wait()
        let name = fault.monitor.observe(try ReachabilityTarget("localhost.test"), on: queue) { _ in
          received.signal()
        }
        received.wait()
        let elsewhere = try ReachabilityMonitor(in: .path(fault.lab.host.path))
        let opened = OpenDescriptor.all.subtracting(others).union(fault.descriptors)
        let names = Set(opened.map(\.name))
        let needed: Set = ["anon_inode:[eventfd]", "anon_inode:[timerfd]", "anon_inode:inotify"]
        #expect(names.isSuperset(of: needed), "\(names)")
        #expect(opened.count { $0.isNetlink } >= 10)
        #expect(opened.filter { !$0.closesOnExec }.map(\.name) == [])
        // The started program lists its descriptors too.
        #expect(try fault.lab.host.sh(list) == before)
        withExtendedLifetime((path, name, elsewhere)) {}
      }
    }
  }
}
#endif
