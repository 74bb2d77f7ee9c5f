import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import SystemConfiguration
import Testing

/// When the callback fires, and when not.
@Suite("Callbacks", .deadline)
struct CallbackTests {
  private let simulation = Simulation()
  private let listener = Listener()
  private let queue = DispatchQueue(label: "callbacks")
  private let host: ReachabilityTarget

  init() throws {
    host = .host(try ReachabilityTarget.HostName("example.com"))
  }

  /// Ends what was scheduled, and what is told until then.
  private func finish(_ target: SCNetworkReachability) {
    #expect(SCNetworkReachabilitySetDispatchQueue(target, nil))
    queue.sync {}
  }

  @Test func `an address's callback does not fire on scheduling, but on each change`() throws {
    let target = try simulation.address("10.9.0.1")
    listener.listen(to: target)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, queue))
    simulation.network.set(.routed)
    listener.wait(for: 1)
    simulation.network.set(.noRoute)
    listener.wait(for: 2)
    finish(target)
    #expect(listener.flags == [0x2, 0])
  }

  /// What one status after another makes of an address's callback.
  static let changes: [(what: String, from: ReachabilityStatus, to: ReachabilityStatus, fires: Bool)] = [
    ("other flags", .routed, .link, true),
    ("another interface with equal flags", .routed, .otherRouted, true),
    ("another gateway", .routed, ReachabilityStatus.routed.changed { $0.gateway = "10.1.0.253" }, false),
    ("another source", .routed, ReachabilityStatus.routed.changed { $0.source = "10.1.0.7" }, false),
    ("another reason", .noRoute, .notReachable(.prohibited), false),
    ("not known any more", .routed, .unknown(.systemError), false),
    (
      "another number of addresses", ReachabilityStatus.routed.with("10.0.0.1"),
      .routed.with("10.0.0.1", "10.0.0.2"),
      true
    ),
    ("other addresses, as many", ReachabilityStatus.routed.with("10.0.0.1"), .routed.with("10.0.0.2"), false),
  ]

  @Test(arguments: changes.indices)
  func `it fires for flags, interface and number of addresses, and for nothing else`(row: Int) throws {
    let change = Self.changes[row]
    simulation.network.set(change.from)
    let target = try simulation.address("10.9.0.1")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.set(change.to)
    // A change that is told in any case ends the wait.
    let fence = Listener()
    let other = try simulation.address("10.9.0.2")
    fence.listen(to: other)
    SCNetworkReachabilitySetDispatchQueue(other, queue)
    simulation.network.set(.cellular, for: .address("10.9.0.2"))
    fence.wait(for: 1)
    SCNetworkReachabilitySetDispatchQueue(other, nil)
    if change.fires { listener.wait(for: 1) }
    finish(target)
    #expect(listener.flags.count == (change.fires ? 1 : 0), "\(change.what)")
  }

  @Test func `what can't be told for a while and is as before then is no change`() throws {
    simulation.network.set(.routed)
    let target = try simulation.address("10.9.0.1")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.set(.unknown(.systemError))
    Deadline.wait("the flags can't be told") { flags(of: target) == nil }
    simulation.network.set(.routed)
    Deadline.wait("the flags can be told") { flags(of: target) == 0x2 }
    simulation.network.set(.noRoute)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0])
  }

  // MARK: Names

  @Test func `a name's callback fires once its name is resolved, even if the flags are what they were`()
    throws
  {
    simulation.network.set(.routed)
    simulation.network.set(.resolving, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    #expect(listener.flags == [])
    simulation.network.set(.routed, for: host)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0x2])
  }

  @Test func `a name that is known already is told at once`() throws {
    simulation.network.set(.link, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0x20002])
  }

  @Test func `a name's first callback is not needed by who asked for the flags before`() throws {
    simulation.network.set(.routed)
    simulation.network.set(.resolving, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    #expect(flags(of: target) == 0x2)
    // Flags, interface and number of addresses as they were.
    simulation.network.set(.routed, for: host)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    simulation.network.set(.noRoute, for: host)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0])
  }

  @Test func `a change of the default path is a name's first callback while it is not resolved`() throws {
    simulation.network.set(.routed)
    simulation.network.set(.resolving, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.set(.noRoute)
    listener.wait(for: 1)
    simulation.network.set(.noRoute, for: host)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    finish(target)
    #expect(listener.flags == [0])
  }

  @Test func `a name that does not exist is not reachable in the end`() throws {
    simulation.network.set(.routed)
    simulation.network.set(.notReachable(.nameNotFound), for: host)
    let target = try simulation.name("example.com")
    #expect(flags(of: target) == 0x2)
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    listener.wait(for: 1)
    #expect(flags(of: target) == 0)
    finish(target)
    #expect(listener.flags == [0])
  }

  @Test(arguments: ["https://example.com/", "*.example.com", "bücher.example"])
  func `a text that is no name is not reachable in the end, and its callback says so`(name: String) throws {
    simulation.network.set(.routed)
    let target = try simulation.name(name)
    #expect(flags(of: target) == 0x2)
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0])
    #expect(flags(of: target) == 0x2)
  }

  @Test func `a name that can't be looked up for a while keeps the flags it had`() throws {
    simulation.network.set(.link, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    listener.wait(for: 1)
    simulation.network.set(.unknown(.systemError), for: host)
    simulation.network.set(.noRoute, for: host)
    listener.wait(for: 2)
    finish(target)
    #expect(listener.flags == [0x20002, 0])
  }

  @Test func `scheduling anew begins anew`() throws {
    simulation.network.set(.routed, for: host)
    let target = try simulation.name("example.com")
    listener.listen(to: target)
    for round in 1...3 {
      SCNetworkReachabilitySetDispatchQueue(target, queue)
      listener.wait(for: round)
      finish(target)
    }
    #expect(listener.flags == [0x2, 0x2, 0x2])
  }

  // MARK: Setting it

  @Test func `an event that nobody listens to is over`() throws {
    simulation.network.set(.routed, for: host)
    let target = try simulation.name("example.com")
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    Deadline.wait("the name is resolved") { target.description.contains("complete") }
    queue.sync {}
    listener.listen(to: target)
    simulation.network.set(.noRoute, for: host)
    listener.wait(for: 1)
    finish(target)
    #expect(listener.flags == [0])
  }

  @Test func `a callback that takes the place of another one is called next, and none is called after nil`()
    throws
  {
    let target = try simulation.address("10.9.0.1")
    let second = Listener()
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.set(.routed)
    listener.wait(for: 1)
    second.listen(to: target)
    simulation.network.set(.noRoute)
    second.wait(for: 1)
    let isSet = SCNetworkReachabilitySetCallback(target, nil, nil)
    #expect(isSet)
    simulation.network.set(.link)
    Deadline.wait("the change is known") { flags(of: target) == 0x20002 }
    finish(target)
    #expect(listener.flags == [0x2])
    #expect(second.flags == [0])
  }

  @Test func `a callback may do anything with its target`() throws {
    let done = Box<Bool>()
    let listener = Listener { shared, _ in
      let target = shared.target
      let isRead = flags(of: target) != nil
      let isSet = SCNetworkReachabilitySetCallback(target, nil, nil)
      let isUnscheduled = SCNetworkReachabilitySetDispatchQueue(target, nil)
      done.fill(isRead && isSet && isUnscheduled)
    }
    let target = try simulation.address("10.9.0.1")
    listener.listen(to: target)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    simulation.network.set(.routed)
    #expect(done.value() == true)
    #expect(!SCNetworkReachabilitySetDispatchQueue(target, nil))
  }

  @Test func `while a target is scheduled, its flags are those that its callback knows of`() throws {
    let target = try simulation.address("10.9.0.1")
    let isBlocked = DispatchSemaphore(value: 0)
    SCNetworkReachabilitySetDispatchQueue(target, queue)
    queue.async { isBlocked.wait() }
    simulation.network.set(.routed)
    #expect(flags(of: target) == 0)
    isBlocked.signal()
    Deadline.wait("the flags follow") { flags(of: target) == 0x2 }
    finish(target)
  }
}

extension ReachabilityStatus {
  /// The same but for one thing.
  func changed(_ change: (inout ReachabilityStatus) -> Void) -> ReachabilityStatus {
    var status = self
    change(&status)
    return status
  }
}
