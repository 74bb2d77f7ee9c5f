// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Observation
import ReachabilityKit
import ReachabilityModels
import ReachabilityTesting
import TestSupport
import Testing

/// Models that are observed as views and `Observations` do.
@MainActor
@Suite("Models", .deadline)
struct ModelTests {
  private let network = SimulatedNetwork(.reachable(over: .wifi))
  private let monitor: ReachabilityMonitor

  init() {
    monitor = ReachabilityMonitor(simulating: network)
  }

  private func statusModel() -> ReachabilityStatusModel {
    ReachabilityStatusModel(of: .address("192.0.2.1"), monitor: monitor)
  }

  /// Reads a value as a view does, and notes that it must be read again.
  private func track(_ log: Log<Void>, _ read: () -> Void) {
    withObservationTracking(read) { log.note() }
  }

  @Test func `Observations delivers the current status and each change`() async throws {
    let model = statusModel()
    var seen: [Bool] = []
    for await isReachable in Observations({ model.status.isReachable }) {
      seen.append(isReachable)
      if seen.count == 3 { break }
      network.setStatus(isReachable ? .notReachable(.noCarrier) : .reachable(over: .wired))
    }
    #expect(seen == [true, false, true])
    #expect(model.target == .address("192.0.2.1"))
  }

  @Test func `Observations delivers the current path and each change`() async throws {
    let model = ReachabilityPathModel(monitor: monitor)
    var seen: [ReachabilityInterface.Kind?] = []
    for await kind in Observations({ model.path.interfaces.first?.interface.kind }) {
      seen.append(kind)
      if seen.count == 3 { break }
      network.setStatus(kind == .wifi ? .reachable(over: .cellular) : .notReachable(.noRoute))
    }
    #expect(seen == [.wifi, .cellular, nil])
  }

  @Test func `a path model meets its requirements`() {
    let model = ReachabilityPathModel(.prohibiting(.wifi), monitor: monitor)
    #expect(model.path.status == .unsatisfied)
    network.setStatus(.reachable(over: .wired))
    #expect(ReachabilityPathModel(.prohibiting(.wifi), monitor: monitor).path.isSatisfied)
  }

  @Test func `a model observes from the first reading on`() async throws {
    let model = statusModel()
    #expect(!model.isObserving)
    network.setStatus(.notReachable(.noRoute))
    let changes = Log<Void>()
    track(changes) { #expect(model.status.reason == .noRoute) }
    #expect(model.isObserving)
    network.setStatus(.reachable(over: .wired))
    try await changes.wait(for: 1)
    #expect(model.status.isReachable)
  }

  @Test func `a change between the reading and the observation is delivered`() async throws {
    let model = statusModel()
    let changes = Log<Void>()
    // The main actor is not left in between, so the observation begins after the change.
    track(changes) { #expect(model.status.isReachable) }
    network.setStatus(.notReachable(.noRoute))
    try await changes.wait(for: 1)
    #expect(model.status.reason == .noRoute)
  }

  @Test func `a change that finds the one before unread ends the observation`() async throws {
    let model = statusModel()
    let changes = Log<Void>()
    track(changes) { _ = model.status }
    network.setStatus(.notReachable(.noRoute))
    try await changes.wait(for: 1)
    #expect(model.isObserving)
    network.setStatus(.notReachable(.noCarrier))
    while model.isObserving { await Task.yield() }
    // The next reading is current without it, and starts again.
    network.setStatus(.notReachable(.interfaceDown))
    track(changes) { #expect(model.status.reason == .interfaceDown) }
    #expect(model.isObserving)
    network.setStatus(.reachable(over: .wifi))
    try await changes.wait(for: 2)
    #expect(model.status.isReachable)
  }

  @Test func `two observers of a model receive the same change`() async throws {
    let model = statusModel()
    let changes = Log<Void>()
    track(changes) { _ = model.status }
    track(changes) { _ = model.status }
    network.setStatus(.notReachable(.noRoute))
    try await changes.wait(for: 2)
    #expect(model.status.reason == .noRoute)
  }

  @Test func `the status with which the observation begins is no change`() async throws {
    let model = statusModel()
    var seen: [ReachabilityStatus.State] = []
    for await state in Observations({ model.status.state }) {
      seen.append(state)
      if seen.count == 2 { break }
      // The model's observation began before this one, and has received the current status too.
      for await _ in monitor.events(of: model.target) { break }
      for _ in 0..<100 { await Task.yield() }
      network.setStatus(.notReachable(.noRoute))
    }
    #expect(seen == [.reachable, .notReachable])
  }

  @Test func `a released model ends its observation`() async throws {
    var model: ReachabilityStatusModel? = statusModel()
    weak let released = model
    let changes = Log<Void>()
    track(changes) { _ = model?.status }
    model = nil
    #expect(released == nil)
  }
}
