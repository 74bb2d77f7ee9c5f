// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

@Suite(.deadline) struct DeliveryTests {
  private let network = SimulatedNetwork(ReachabilityStatus(""))

  private func make() throws -> TMReachability.Reachability {
    let made = network.withSystemConfiguration { Reachability.forInternetConnection() }
    return try #require(made)
  }

  /// Changes the network and waits for a number of events.
  private func change(_ flags: String, _ events: Log<String>, _ count: Int) async throws {
    network.setStatus(ReachabilityStatus(flags))
    try await events.wait(for: count)
  }

  @Test func `an event calls status block, general block and observers, then is posted`()
    async throws
  {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    let isMain = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: isMain, value: true)
    defer { DispatchQueue.main.setSpecific(key: isMain, value: nil) }
    let identity = ObjectIdentifier(reachability)
    @Sendable func note(_ event: String, _ argument: TMReachability.Reachability?) {
      let place = DispatchQueue.getSpecific(key: isMain) == true ? " on main" : ""
      events.append("\(event)\(argument.map(ObjectIdentifier.init) == identity ? "" : " of another")\(place)")
    }
    reachability.reachableBlock = { note("reachable", $0) }
    reachability.unreachableBlock = { note("unreachable", $0) }
    reachability.reachabilityBlock = { note("general \($1)", $0) }
    let observation = reachability.addReachabilityObserver { note("observer \($1.rawValue)", $0) }
    let token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { notification in
      note(
        notification.userInfo == nil ? "posted" : "posted more",
        notification.object as? TMReachability.Reachability)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    #expect(reachability.startNotifier())
    try await change("R", events, 4)
    try await change("", events, 8)
    #expect(
      events.elements == [
        "reachable", "general 2", "observer 2", "posted on main",
        "unreachable", "general 0", "observer 0", "posted on main",
      ])
    observation.cancel()
  }

  @Test func `a status block runs once for each status, the general one for every event`()
    async throws
  {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    reachability.reachableBlock = { _ in events.append("reachable") }
    reachability.unreachableBlock = { _ in events.append("unreachable") }
    reachability.reachabilityBlock = { events.append("\($1)") }
    reachability.startNotifier()
    try await change("R", events, 2)
    try await change("Rd", events, 3)
    try await change("RW", events, 5)
    try await change("RWt", events, 6)
    try await change("Rct", events, 8)
    try await change("", events, 9)
    try await change("Rt", events, 11)
    #expect(
      events.elements == [
        "reachable", "2", "\(0x20002)", "reachable", "\(0x40002)", "\(0x40003)", "unreachable", "7", "0",
        "reachable", "3",
      ])
  }

  @Test func `a changed interface with the same flags is an event`() async throws {
    func status(_ index: Int) -> ReachabilityStatus {
      ReachabilityStatus(
        .reachable, flags: .reachable,
        interface: ReachabilityInterface(name: "eth\(index)", index: index, kind: .wired))
    }
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    reachability.reachableBlock = { _ in events.append("reachable") }
    reachability.reachabilityBlock = { events.append("\($1)") }
    let token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { _ in events.append("posted") }
    defer { NotificationCenter.default.removeObserver(token) }
    reachability.startNotifier()
    network.setStatus(status(1))
    try await events.wait(for: 3)
    network.setStatus(status(2))
    try await events.wait(for: 5)
    #expect(events.elements == ["reachable", "2", "posted", "2", "posted"])
  }

  @Test func `a cellular link is unreachable if reachableOnWWAN is false`() async throws {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    reachability.reachableOnWWAN = false
    let events = Log<String>()
    reachability.reachableBlock = { _ in events.append("reachable") }
    reachability.unreachableBlock = { _ in events.append("unreachable") }
    reachability.startNotifier()
    try await change("RW", events, 1)
    try await change("R", events, 2)
    reachability.reachableOnWWAN = true
    try await change("RW", events, 3)
    #expect(events.elements == ["unreachable", "reachable", "reachable"])
  }

  @Test func `a new block receives the next event, even with an unchanged status`() async throws {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    reachability.reachabilityBlock = { events.append("\($1)") }
    reachability.startNotifier()
    try await change("R", events, 1)
    reachability.reachableBlock = { _ in events.append("first") }
    try await change("Rd", events, 3)
    reachability.reachableBlock = { _ in events.append("second") }
    try await change("R", events, 5)
    reachability.reachableBlock = nil
    #expect(reachability.reachableBlock == nil)
    #expect(reachability.unreachableBlock == nil)
    #expect(reachability.reachabilityBlock != nil)
    try await change("Rd", events, 6)
    #expect(events.elements == ["2", "first", "131074", "second", "2", "131074"])
  }

  @Test(arguments: [("unreachable", "R", ""), ("reachable", "", "R")])
  func `a single status block receives each return of its status`(block: String, away: String, back: String)
    async throws
  {
    network.setStatus(ReachabilityStatus(back))
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    if block == "reachable" {
      reachability.reachableBlock = { _ in events.append("called") }
    } else {
      reachability.unreachableBlock = { _ in events.append("called") }
    }
    reachability.reachabilityBlock = { _, _ in events.append("event") }
    reachability.startNotifier()
    try await change(away, events, 1)
    try await change(back, events, 3)
    try await change(away, events, 4)
    try await change(back, events, 6)
    #expect(events.elements == ["event", "called", "event", "event", "called", "event"])
  }

  @Test func `several observers each last as long as their observation`() async throws {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    let kept = reachability.addReachabilityObserver { events.append("kept \($1.rawValue)") }
    var dropped: Optional = reachability.addReachabilityObserver { events.append("dropped \($1.rawValue)") }
    let cancelled = reachability.addReachabilityObserver { events.append("cancelled \($1.rawValue)") }
    reachability.startNotifier()
    try await change("R", events, 3)
    dropped = nil
    try await change("", events, 5)
    cancelled.cancel()
    try await change("R", events, 6)
    #expect(
      events.elements == ["kept 2", "dropped 2", "cancelled 2", "kept 0", "cancelled 0", "kept 2"])
    #expect(dropped == nil)
    withExtendedLifetime(kept) {}
  }

  @Test func `a block may restart the instance and replace itself`() async throws {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    reachability.reachableBlock = { reachability in
      reachability?.stopNotifier()
      reachability?.reachableBlock = { _ in events.append("second") }
      reachability?.reachableOnWWAN = false
      reachability?.startNotifier()
      events.append("first")
    }
    reachability.startNotifier()
    try await change("R", events, 1)
    try await change("Rd", events, 2)
    #expect(events.elements == ["first", "second"])
  }
}
