// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import ReachabilityTesting
import Testing

@testable import SystemConfigurationFunctions

@Suite("Callback machine", .deadline)
struct CallbackMachineTests {
  private let address = Subject(.address(.address("10.9.0.1")), label: "an address")
  private let host: Subject

  init() throws { host = Subject(.host(.host(try ReachabilityTarget.HostName("a.test"))), label: "a name") }

  @Test func `an event of an earlier period is ignored`() {
    for subject in [address, host] {
      var machine = CallbackMachine(subject)
      let first = machine.begin(.noRoute)
      machine.end()
      let second = machine.begin(.noRoute)
      let reading = machine.reading
      var isDue = [machine.record(own: .routed, in: first), machine.record(general: .routed, in: first)]
      #expect(isDue == [false, false])
      #expect(machine.reading == reading)
      isDue = [machine.record(own: .routed, in: second)]
      #expect(isDue == [true])
    }
  }

  @Test func `a name's first callback waits for an answer, even with unchanged flags`() {
    var machine = CallbackMachine(host)
    let period = machine.begin(.routed)
    var isDue = [machine.record(own: .resolving, in: period)]
    #expect(machine.isResolving)
    isDue += [machine.record(own: .routed, in: period), machine.record(own: .routed, in: period)]
    #expect(isDue == [false, true, false])
    #expect(!machine.isResolving)
  }

  @Test(arguments: [ReachabilityStatus.routed.with("10.9.0.1"), .notReachable(.nameNotFound)])
  func
    `a name without an answer has a first callback with the default path's flags, then one with the result`(
      _ result: ReachabilityStatus
    )
  {
    var machine = CallbackMachine(host)
    let period = machine.begin(.routed)
    var isDue = [machine.record(own: .resolving, in: period), machine.recordSilence(in: period)]
    #expect(machine.reading?.flags == .reachable)
    isDue += [machine.recordSilence(in: period), machine.record(own: result, in: period)]
    #expect(isDue == [false, true, false, true])
    #expect(machine.reading?.flags.map { $0.rawValue } == result.flags.rawValue)
  }

  @Test func `the wait for an answer is over with the answer, a read of the flags or the schedule`() {
    var machine = CallbackMachine(host)
    let first = machine.begin(.routed)
    var isDue = [machine.record(own: .routed, in: first), machine.recordSilence(in: first)]
    machine.end()
    let second = machine.begin(.routed)
    isDue += [machine.recordSilence(in: first)]
    _ = machine.readFlags()
    isDue += [machine.recordSilence(in: second)]
    #expect(isDue == [true, false, false, false])
  }

  @Test func `while a name's status is unknown, its last known reading stays`() {
    var machine = CallbackMachine(host)
    let period = machine.begin(.noRoute)
    var isDue = [machine.record(own: .routed, in: period)]
    let reading = machine.reading
    isDue += [machine.record(own: .unknown(.systemError), in: period)]
    #expect(isDue == [true, false])
    #expect(machine.reading == reading)
  }

  @Test func `an unresolved name is not local, even if the default path is`() {
    #expect(Reading(optimistic: .reachable(over: .loopback)).flags == .reachable)
  }

  @Test func `an observation added to an ended subscription ends`() {
    let subscription = Subscription()
    subscription.end()
    weak var observation: ReachabilityObservation?
    do {
      let new = Simulation().monitor.observe(.defaultRoute, on: DispatchQueue(label: "test")) { _ in }
      observation = new
      subscription.add(new)
    }
    #expect(observation == nil)
  }
}
