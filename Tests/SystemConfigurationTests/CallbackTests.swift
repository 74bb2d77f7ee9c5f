// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import SystemConfiguration
import Testing

/// The events that make a callback fire.
@Suite("Callbacks", .deadline)
struct CallbackTests {
  private let simulation = Simulation()
  private let recorder = CallRecorder()
  private let queue = DispatchQueue(label: "callbacks")
  private let host: ReachabilityTarget

  init() throws {
    host = .host(try ReachabilityTarget.HostName("example.com"))
  }

  /// Unschedules the target and waits for its calls.
  private func finish(_ target: SCNetworkReachability) {
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    queue.sync {}
  }

  @Test func `an address's callback fires on each change, not on scheduling`() throws {
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    simulation.network.setStatus(.routed)
    recorder.wait(for: 1)
    simulation.network.setStatus(.noRoute)
    recorder.wait(for: 2)
    finish(target)
    #expect(recorder.flags == [0x2, 0])
  }

  /// Changes of an address's status, and whether they make its callback fire.
  static let changes: [(name: String, from: ReachabilityStatus, to: ReachabilityStatus, fires: Bool)] = [
    ("other flags", .routed, .link, true),
    ("another interface with equal flags", .routed, .otherRouted, true),
    ("another gateway", .routed, ReachabilityStatus.routed.changed { $0.gateway = "10.1.0.253" }, false),
    ("another source", .routed, ReachabilityStatus.routed.changed { $0.source = "10.1.0.7" }, false),
    ("another reason", .noRoute, .notReachable(.prohibited), false),
    ("unknown", .routed, .unknown(.systemError), false),
    (
      "another number of addresses", ReachabilityStatus.routed.with("10.0.0.1"),
      .routed.with("10.0.0.1", "10.0.0.2"),
      true
    ),
    ("other addresses, as many", ReachabilityStatus.routed.with("10.0.0.1"), .routed.with("10.0.0.2"), false),
  ]

  @Test(arguments: changes.indices)
  func `a callback fires for changed flags, interface or number of addresses only`(row: Int) throws {
    let change = Self.changes[row]
    simulation.network.setStatus(change.from)
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(change.to)
    // A change that certainly makes a callback fire ends the wait.
    let fence = CallRecorder()
    let other = try simulation.address("10.9.0.2")
    fence.record(other)
    SCNetworkReachabilitySetDispatchQueue(other, queue)
    simulation.network.setStatus(.cellular, of: .address("10.9.0.2"))
    fence.wait(for: 1)
    SCNetworkReachabilitySetDispatchQueue(other, nil)
    if change.fires { recorder.wait(for: 1) }
    finish(target)
    #expect(recorder.flags.count == (change.fires ? 1 : 0), "\(change.name)")
  }

  @Test func `unknown flags that return to their earlier value are no change`() throws {
    simulation.network.setStatus(.routed)
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(.unknown(.systemError))
    Deadline.wait("the flags are unknown") { flags(of: target) == nil }
    simulation.network.setStatus(.routed)
    Deadline.wait("the flags are known") { flags(of: target) == 0x2 }
    simulation.network.setStatus(.noRoute)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0])
  }

  // MARK: Names

  /// Schedules a name whose lookup has no answer, in a network with a default route.
  private func scheduleUnresolved() throws -> SCNetworkReachability {
    simulation.network.setStatus(.routed)
    simulation.network.setStatus(.resolving, of: host)
    let target = try simulation.name("example.com")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    return target
  }

  @Test func `a name's callback fires once the name is resolved, even with unchanged flags`()
    throws
  {
    let target = try scheduleUnresolved()
    #expect(recorder.flags == [])
    simulation.network.setStatus(.routed, of: host)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0x2])
  }

  @Test func `a name that is already resolved fires its callback on scheduling`() throws {
    simulation.network.setStatus(.link, of: host)
    let target = try simulation.name("example.com")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0x20002])
  }

  @Test func `reading a name's flags replaces its first callback`() throws {
    let target = try scheduleUnresolved()
    #expect(flags(of: target) == 0x2)
    // Flags, interface and number of addresses are unchanged.
    simulation.network.setStatus(.routed, of: host)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    simulation.network.setStatus(.noRoute, of: host)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0])
  }

  @Test func `a change of the default path is an unresolved name's first callback`() throws {
    let target = try scheduleUnresolved()
    simulation.network.setStatus(.noRoute)
    recorder.wait(for: 1)
    simulation.network.setStatus(.noRoute, of: host)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    finish(target)
    // A thread that stands still for a second has the call for a name without an answer first.
    #expect(recorder.flags.drop { $0 == 0x2 } == [0])
  }

  @Test func `a name without an answer for a second is as reachable as the default path, then as itself`()
    throws
  {
    let target = try scheduleUnresolved()
    recorder.wait(for: 1)
    simulation.network.setStatus(.notReachable(.nameNotFound), of: host)
    recorder.wait(for: 2)
    finish(target)
    #expect(recorder.flags == [0x2, 0])
  }

  @Test func `a scheduled name that does not exist becomes unreachable`() throws {
    simulation.network.setStatus(.routed)
    simulation.network.setStatus(.notReachable(.nameNotFound), of: host)
    let target = try simulation.name("example.com")
    #expect(flags(of: target) == 0x2)
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    recorder.wait(for: 1)
    #expect(flags(of: target) == 0)
    finish(target)
    #expect(recorder.flags == [0])
  }

  @Test(arguments: ["https://example.com/", "*.example.com", "bücher.example"])
  func `a scheduled text that is no name becomes unreachable`(name: String) throws {
    simulation.network.setStatus(.routed)
    let target = try simulation.name(name)
    #expect(flags(of: target) == 0x2)
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0])
    #expect(flags(of: target) == 0x2)
  }

  @Test func `a name whose lookup fails for a while keeps its flags`() throws {
    simulation.network.setStatus(.link, of: host)
    let target = try simulation.name("example.com")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    recorder.wait(for: 1)
    simulation.network.setStatus(.unknown(.systemError), of: host)
    simulation.network.setStatus(.noRoute, of: host)
    recorder.wait(for: 2)
    finish(target)
    #expect(recorder.flags == [0x20002, 0])
  }

  @Test func `each scheduling of a name has its own first callback`() throws {
    simulation.network.setStatus(.routed, of: host)
    let target = try simulation.name("example.com")
    recorder.record(target)
    for round in 1...3 {
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      recorder.wait(for: round)
      finish(target)
    }
    #expect(recorder.flags == [0x2, 0x2, 0x2])
  }

  // MARK: Setting the callback

  @Test func `an event without a callback is lost`() throws {
    simulation.network.setStatus(.routed, of: host)
    let target = try simulation.name("example.com")
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    queue.sync {}
    recorder.record(target)
    simulation.network.setStatus(.noRoute, of: host)
    recorder.wait(for: 1)
    finish(target)
    #expect(recorder.flags == [0])
  }

  @Test func `a new callback receives the next change, and nil ends the calls`()
    throws
  {
    let target = try simulation.address("10.9.0.1")
    let second = CallRecorder()
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(.routed)
    recorder.wait(for: 1)
    second.record(target)
    simulation.network.setStatus(.noRoute)
    second.wait(for: 1)
    let isSet = SCNetworkReachabilitySetCallback(target, nil, nil)
    #expect(isSet)
    simulation.network.setStatus(.link)
    Deadline.wait("the change is known") { flags(of: target) == 0x20002 }
    finish(target)
    #expect(recorder.flags == [0x2])
    #expect(second.flags == [0])
  }

  @Test func `a callback may call every function on its target`() throws {
    let done = Box<Bool>()
    let recorder = CallRecorder { shared, _ in
      let target = shared.target
      let isRead = flags(of: target) != nil
      let isSet = SCNetworkReachabilitySetCallback(target, nil, nil)
      let isUnscheduled = SCNetworkReachabilitySetDispatchQueue(target, nil)
      done.fill(isRead && isSet && isUnscheduled)
    }
    let target = try simulation.address("10.9.0.1")
    recorder.record(target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.setStatus(.routed)
    #expect(done.value() == true)
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
  }

  @Test func `the flags of a scheduled target are those of its callback`() throws {
    let target = try simulation.address("10.9.0.1")
    let isBlocked = DispatchSemaphore(value: 0)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    queue.async { isBlocked.wait() }
    simulation.network.setStatus(.routed)
    #expect(flags(of: target) == 0)
    isBlocked.signal()
    Deadline.wait("the flags follow") { flags(of: target) == 0x2 }
    finish(target)
  }
}

extension ReachabilityStatus {
  /// Returns a copy with a change.
  func changed(_ change: (inout ReachabilityStatus) -> Void) -> ReachabilityStatus {
    var status = self
    change(&status)
    return status
  }
}
