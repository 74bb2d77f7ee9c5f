// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

@Suite(.deadline) struct LifetimeTests {
  private let network = SimulatedNetwork(ReachabilityStatus(""))

  private func make() throws -> TMReachability.Reachability {
    let made = network.withSystemConfiguration { Reachability.forInternetConnection() }
    return try #require(made)
  }

  /// Creates a target of the default route.
  private func makeTarget() throws -> SCNetworkReachability {
    let made = network.withSystemConfiguration { unsafe SCNetworkReachabilityCreateWithName(nil, "0.0.0.0") }
    return try #require(made)
  }

  /// Changes the network and waits until another instance has received the changes.
  private func settle() async throws {
    let other = try make()
    let events = Log<Void>()
    other.reachabilityBlock = { _, _ in events.append(()) }
    other.startNotifier()
    network.setStatus(other.isReachable() ? ReachabilityStatus("") : ReachabilityStatus("Rt"))
    try await events.wait(for: 1)
    network.setStatus(ReachabilityStatus("RWt"))
    try await events.wait(for: 2)
    other.stopNotifier()
  }

  @Test func `nothing is delivered before the first change or after the stop`() async throws {
    network.setStatus(ReachabilityStatus("R"))
    let reachability = try make()
    let events = Log<UInt32>()
    reachability.reachabilityBlock = { events.append($1) }
    #expect(reachability.startNotifier())
    network.setStatus(ReachabilityStatus("Rd"))
    try await events.wait(for: 1)
    reachability.stopNotifier()
    reachability.stopNotifier()
    try await settle()
    #expect(events.elements == [0x20002])
    #expect(reachability.isReachable())
  }

  @Test func `a second start has no effect`() async throws {
    let reachability = try make()
    let events = Log<UInt32>()
    reachability.reachabilityBlock = { events.append($1) }
    #expect(reachability.startNotifier())
    #expect(reachability.startNotifier())
    network.setStatus(ReachabilityStatus("R"))
    try await events.wait(for: 1)
    reachability.stopNotifier()
    try await settle()
    #expect(events.elements == [2])
  }

  @Test func `a new start delivers an unchanged status again`() async throws {
    let reachability = try make()
    defer { reachability.stopNotifier() }
    let events = Log<String>()
    reachability.reachableBlock = { _ in events.append("reachable") }
    reachability.startNotifier()
    network.setStatus(ReachabilityStatus("R"))
    try await events.wait(for: 1)
    reachability.stopNotifier()
    #expect(reachability.startNotifier())
    network.setStatus(ReachabilityStatus("Rd"))
    try await events.wait(for: 2)
  }

  @Test func `a host delivers its status at every start`() async throws {
    network.setStatus(ReachabilityStatus("R"))
    let made = network.withSystemConfiguration { Reachability(hostname: "example.com") }
    let reachability = try #require(made)
    let events = Log<String>()
    reachability.reachableBlock = { _ in events.append("reachable") }
    for count in 1...3 {
      reachability.startNotifier()
      try await events.wait(for: count)
      reachability.stopNotifier()
    }
  }

  @Test func `a started instance without a reference stays alive until it is stopped`() async throws {
    weak var held: TMReachability.Reachability?
    let events = Log<String>()
    do {
      let reachability = try make()
      let canary = Canary(events)
      reachability.reachabilityBlock = { [canary] _, flags in
        withExtendedLifetime(canary) { events.append("\(flags)") }
      }
      reachability.startNotifier()
      held = reachability
    }
    #expect(held != nil)
    network.setStatus(ReachabilityStatus("R"))
    #expect(try await events.wait(for: 1) == ["2"])
    held?.stopNotifier()
    // The notification after the event holds the instance too.
    #expect(try await events.wait(for: 2) == ["2", "released"])
    #expect(held == nil)
    try await settle()
    #expect(events.elements.count == 2)
  }

  @Test func `a stop in a block releases an instance without a reference`() async throws {
    let events = Log<String>()
    do {
      let reachability = try make()
      let canary = Canary(events)
      reachability.reachableBlock = { [canary] reachability in
        withExtendedLifetime(canary) { events.append("reachable") }
        reachability?.stopNotifier()
      }
      reachability.startNotifier()
    }
    network.setStatus(ReachabilityStatus("R"))
    #expect(try await events.wait(for: 2) == ["reachable", "released"])
  }

  @Test func `a stopped instance and its blocks are released with the last reference`() async throws {
    weak var released: TMReachability.Reachability?
    let events = Log<String>()
    do {
      let reachability = try make()
      let canary = Canary(events)
      reachability.reachableBlock = { [canary] _ in events.append("called with \(canary)") }
      reachability.startNotifier()
      reachability.stopNotifier()
      released = reachability
      #expect(released != nil)
    }
    #expect(released == nil)
    try await settle()
    #expect(events.elements == ["released"])
  }

  @Test func `an instance that does not start is released with its last reference`() throws {
    let target = try makeTarget()
    #expect(SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "program")))
    weak var released: TMReachability.Reachability?
    do {
      let reachability = try #require(Reachability(reachabilityRef: target))
      #expect(!reachability.startNotifier())
      released = reachability
      #expect(released != nil)
    }
    #expect(released == nil)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }

  @Test func `an observation keeps its instance alive, not the reverse`() throws {
    weak var held: TMReachability.Reachability?
    let events = Log<String>()
    var observation: TMReachabilityObservation?
    do {
      let reachability = try make()
      let canary = Canary(events)
      reachability.unreachableBlock = { [canary] _ in events.append("called with \(canary)") }
      observation = reachability.addReachabilityObserver { events.append("\($1.rawValue)") }
      held = reachability
    }
    #expect(held != nil)
    withExtendedLifetime(observation) {}
    observation = nil
    #expect(events.elements == ["released"])
    #expect(held == nil)
  }

  @Test func `an object that a block holds may use the instance in its deinit`() throws {
    let reachability = try make()
    let events = Log<String>()
    let user = User(events, reachability)
    reachability.reachableBlock = { [user] _ in withExtendedLifetime(user) {} }
    let other = User(events, reachability)
    let observation = reachability.addReachabilityObserver { [other] _, _ in withExtendedLifetime(other) {} }
    withExtendedLifetime((user, other)) {}
    reachability.reachableBlock = nil
    observation.cancel()
    #expect(reachability.reachableBlock == nil)
  }

  @Test func `instances may be stopped and released while events are delivered`() async throws {
    for round in 0..<300 {
      let reachability = try make()
      reachability.reachabilityBlock = { reachability, _ in _ = reachability?.isReachable() }
      reachability.startNotifier()
      network.setStatus(ReachabilityStatus(round.isMultiple(of: 2) ? "R" : ""))
      reachability.stopNotifier()
    }
    try await settle()
  }

  @Test func `a second instance of a running target does not start`()
    async throws
  {
    let target = try makeTarget()
    let first = try #require(Reachability(reachabilityRef: target))
    let second = try #require(Reachability(reachabilityRef: target))
    let events = Log<String>()
    first.reachabilityBlock = { events.append("first \($1)") }
    second.reachabilityBlock = { events.append("second \($1)") }
    #expect(first.startNotifier())
    #expect(!second.startNotifier())
    second.stopNotifier()
    network.setStatus(ReachabilityStatus("R"))
    try await events.wait(for: 1)
    first.stopNotifier()
    #expect(second.startNotifier())
    network.setStatus(ReachabilityStatus(""))
    try await events.wait(for: 2)
    #expect(events.elements == ["first 2", "second 0"])
    second.stopNotifier()
  }

  @Test func `a target that the program has scheduled keeps the program's callback`() async throws {
    let target = try makeTarget()
    let events = Log<UInt32>()
    unsafe SCNetworkReachabilitySetCallback(target, { _, flags, _ in events.append(flags.rawValue) }, nil)
    #expect(SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "program")))
    let reachability = try #require(Reachability(reachabilityRef: target))
    #expect(!reachability.startNotifier())
    network.setStatus(ReachabilityStatus("R"))
    #expect(try await events.wait(for: 1) == [2])
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(reachability.startNotifier())
    reachability.stopNotifier()
  }
}

/// An object that records its release.
private final class Canary: Sendable {
  private let events: Log<String>

  init(_ events: Log<String>) { self.events = events }

  deinit { events.append("released") }
}

/// An object that uses an instance when it is released.
private final class User: Sendable {
  private let reachability: TMReachability.Reachability

  init(_ events: Log<String>, _ reachability: TMReachability.Reachability) {
    self.reachability = reachability
  }

  deinit {
    reachability.reachableOnWWAN = false
    reachability.stopNotifier()
  }
}
