// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import ReachabilityKit
import Testing

@testable import NetworkPaths

/// The first path and a handler that is set late, in time that the test makes.
@Suite("Monitor state", .deadline)
struct MonitorStateTests {
  /// A started monitor's state, and its clock.
  private struct Script {
    private var state = MonitorState()
    private let start = ContinuousClock.now

    init(isStarted: Bool = true) {
      if isStarted { _ = state.start(on: .main) }
    }

    /// The path of the call that a delivery makes due.
    mutating func deliver(_ path: ReachabilityPath, at time: Int = 0) -> NWPath? {
      state.deliver(path, now: start + .milliseconds(time))?.path
    }

    mutating func setHandler(at time: Int = 0) -> Bool {
      state.setHandler({ _ in }, now: start + .milliseconds(time))
    }

    mutating func removeHandler() -> Bool { state.setHandler(nil, now: start) }

    mutating func takeEnqueued() -> NWPath? { state.dequeueCall()?.path }

    mutating func store(_ path: ReachabilityPath) { state.store(path) }

    mutating func restart() -> Bool { state.start(on: .main) }

    mutating func cancel() { _ = state.cancel() }

    var path: NWPath { state.path }
  }

  private let online = ReachabilityPath(.satisfied, interfaces: [.init("eth0", .wired)])
  private let offline = ReachabilityPath(.unsatisfied, reason: .noCarrier)
  private let unknown = ReachabilityPath(.unknown, reason: .systemError)

  @Test func `a handler that is set soon after the first path receives it`() {
    var script = Script()
    let results = (
      script.deliver(online), script.setHandler(at: 99), script.takeEnqueued(), script.takeEnqueued()
    )
    #expect(results == (nil, true, NWPath(online), nil))
    let isRepeated = script.setHandler(at: 99)
    #expect(!isRepeated)
  }

  @Test func `a handler that is set much later receives no path again`() {
    var script = Script()
    let first = (script.deliver(online), script.setHandler(at: 100), script.takeEnqueued())
    #expect(first == (nil, false, nil))
    let next = script.deliver(offline, at: 1000)
    #expect(next == NWPath(offline))
  }

  @Test func `a handler in place of another receives no path again`() {
    var script = Script()
    let results = (script.setHandler(), script.deliver(online), script.setHandler(), script.takeEnqueued())
    #expect(results == (false, NWPath(online), false, nil))
  }

  @Test func `a handler that is removed before its call receives none`() {
    var script = Script()
    let results = (script.deliver(online), script.setHandler(), script.removeHandler(), script.takeEnqueued())
    #expect(results == (nil, true, false, nil))
    var other = Script()
    let removed = (
      other.deliver(online), other.removeHandler(), other.setHandler(at: 1), other.takeEnqueued()
    )
    #expect(removed == (nil, false, true, NWPath(online)))
  }

  @Test func `a newer path replaces the enqueued call`() {
    var script = Script()
    let results = (
      script.deliver(online), script.setHandler(), script.deliver(offline), script.takeEnqueued()
    )
    #expect(results == (nil, true, NWPath(offline), nil))
  }

  @Test func `a second path without a handler does not begin the time again`() {
    var script = Script()
    let paths = (script.deliver(online), script.deliver(offline, at: 90))
    #expect(paths == (nil, nil))
    var late = script
    let isLate = !late.setHandler(at: 110)
    #expect(isLate)
    let inTime = (script.setHandler(at: 95), script.takeEnqueued())
    #expect(inTime == (true, NWPath(offline)))
  }

  @Test func `a cancelled state starts and calls nothing`() {
    var script = Script()
    _ = script.deliver(online)
    var enqueued = script
    script.cancel()
    let results = (script.setHandler(), script.deliver(offline), script.restart())
    #expect(results == (false, nil, false))
    #expect(script.path == NWPath(online))
    let isEnqueued = enqueued.setHandler()
    enqueued.cancel()
    // Handlers may be set, to no effect.
    let late = (enqueued.setHandler(), enqueued.takeEnqueued())
    #expect(isEnqueued)
    #expect(late == (false, nil))
    var unstarted = Script(isStarted: false)
    unstarted.cancel()
    let none = (unstarted.setHandler(), unstarted.deliver(unknown), unstarted.restart())
    #expect(none == (false, nil, false))
  }

  @Test func `an unknown path is delivered first only, and never replaces a known one`() {
    var script = Script()
    _ = script.setHandler()
    let paths = (script.deliver(unknown), script.deliver(online), script.deliver(unknown))
    #expect(paths == (NWPath(unknown), NWPath(online), nil))
    #expect(script.path == NWPath(online))
  }

  @Test func `an iteration before the start takes nothing from the first call`() {
    var script = Script()
    _ = script.setHandler()
    script.store(online)
    let call = script.deliver(unknown)
    #expect(call == NWPath(online))
  }

  @Test func `an iteration that is ahead takes no call from the handler`() {
    var script = Script()
    _ = script.setHandler()
    let first = script.deliver(online)
    script.store(offline)
    let second = script.deliver(offline)
    #expect([first, second] == [NWPath(online), NWPath(offline)])
  }

  @Test func `a change that a path does not show makes no call due`() {
    var script = Script()
    _ = script.setHandler()
    var longer = online
    longer.interfaces[0].mtu = 9000
    let other = ReachabilityPath(.unsatisfied, reason: .noRoute)
    let calls = (
      script.deliver(online), script.deliver(longer), script.deliver(offline), script.deliver(other)
    )
    #expect(calls == (NWPath(online), nil, NWPath(offline), nil))
  }
}
