// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import POSIX
import ReachabilityKit
import Synchronization
import Testing

/// The observation of changes.
@Suite(.timeLimit(.minutes(10)), .deadline)
struct WatchTests {
  private let reachable = ReachabilityStatus(.reachable, flags: .reachable)

  @Test func `a change of the path queries targets again`() async {
    let stage = Stage(reachable)
    var events = stage.makeMonitor().events(of: .address("192.0.2.7")).makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.status.state == .reachable)
    stage.network.setStatus(.notReachable(.noRoute))
    stage.played.play(.unsatisfied())
    #expect(await events.next(isolation: #isolation)?.status.state == .notReachable)
    stage.network.setStatus(reachable)
    stage.played.play(.over(.wifi))
    #expect(await events.next(isolation: #isolation)?.status.state == .reachable)
  }

  @Test func `an equal path still queries targets again`() async {
    let stage = Stage(reachable)
    var events = stage.makeMonitor().events(of: .defaultRoute).makeAsyncIterator()
    #expect(await events.next(isolation: #isolation)?.status.state == .reachable)
    stage.network.setStatus(.notReachable(.noRoute))
    stage.played.play(.over(.wifi))
    #expect(await events.next(isolation: #isolation)?.status.state == .notReachable)
  }

  @Test func `the path is delivered first and on each change`() async {
    let stage = Stage()
    let monitor = stage.makeMonitor()
    var paths = monitor.paths().makeAsyncIterator()
    var wired = monitor.paths(.requiring(.wired)).makeAsyncIterator()
    #expect(await paths.next(isolation: #isolation)?.interfaces.map(\.interface) == [.wifi])
    #expect(await wired.next(isolation: #isolation)?.status == .unsatisfied)
    stage.played.play(.over(.wired, .wifi))
    #expect(await paths.next(isolation: #isolation)?.interfaces.map(\.interface) == [.wired, .wifi])
    #expect(await wired.next(isolation: #isolation)?.interfaces.map(\.interface) == [.wired])
    stage.played.play(.unsatisfied())
    #expect(await paths.next(isolation: #isolation)?.reason == .noRoute)
  }

  @Test func `several observations in a row share one NWPathMonitor`() async {
    let stage = Stage()
    let monitor = stage.makeMonitor()
    for round in 1...3 {
      // Each observation ends with its iterator.
      var paths = monitor.paths().makeAsyncIterator()
      _ = await paths.next(isolation: #isolation)
      stage.played.play(.over(NWInterface(type: .wifi, name: "en0", index: round)))
      #expect(await paths.next(isolation: #isolation)?.interfaces.first?.interface.index == round)
      #expect(stage.played.monitors == 1)
    }
  }

  @Test func `a path from before watching is no change`() {
    let stage = Stage()
    stage.played.play(.over(.wired))
    stage.played.settle()
    stage.door.watch(.network)
    stage.door.wake()
    #expect(stage.waitForChange() == NetworkChange.none)
  }

  @Test func `a change before the wait ends the wait`() {
    let stage = Stage()
    stage.door.watch(.network)
    stage.played.play(.over(.wired))
    stage.played.play(.over(.wifi))
    stage.played.settle()
    stage.door.wake()
    #expect(stage.waitForChange() == .all)
    stage.door.wake()
    #expect(stage.waitForChange() == NetworkChange.none)
  }

  @Test func `a change wakes nothing while the source is not watching`() {
    let stage = Stage()
    stage.door.watch(.network)
    stage.played.play(.over(.wired))
    #expect(stage.waitForChange() == .all)
    stage.door.watch([])
    stage.played.play(.over(.wifi))
    stage.played.settle()
    stage.door.wake()
    #expect(stage.waitForChange() == NetworkChange.none)
    #expect(stage.path.interfaces.map(\.interface) == [.wifi])
  }

  @Test func `a wait ends at its deadline`() {
    let door = Stage().door
    for left in [Duration.milliseconds(5), .zero, .seconds(-1)] {
      let deadline = Moment.now.advanced(by: left)
      #expect(door.waitForChange(until: deadline).isEmpty)
    }
  }

  @Test func `the NWPathMonitor lives as long as its source`() {
    var stage: Stage? = Stage()
    let played = stage?.played
    #expect(played?.monitors == 1)
    stage = nil
    #expect(played?.monitors == 0)
  }

  @Test func `a late path is unknown until it arrives`() async {
    let stage = Stage(reachable, path: nil, limit: .milliseconds(1))
    #expect(stage.path.status == .unknown)
    #expect(stage.status(of: .defaultRoute).isReachable)
    var paths = stage.makeMonitor().paths().makeAsyncIterator()
    #expect(await paths.next(isolation: #isolation)?.status == .unknown)
    stage.played.play(.over(.wifi))
    #expect(await paths.next(isolation: #isolation)?.isSatisfied == true)
  }

  // MARK: - Names

  @Test func `a host is as reachable as the best of its addresses`() async throws {
    let stage = Stage()
    stage.network.setStatus(reachable, of: .address("127.0.0.1"))
    let status = try await stage.makeMonitor().status(
      of: .host(try ReachabilityTarget.HostName("localhost")))
    #expect(status.isReachable)
    #expect(status.addresses.map(\.status.isReachable) == [false, true])
  }

  @Test func `the system's resolver looks names up, on threads`() throws {
    let door = Stage().door
    let name = try ReachabilityTarget.HostName("localhost")
    let answer = Mutex<NameAnswer?>(nil)
    let end = DispatchSemaphore(value: 0)
    var unused: UnsafeMutablePointer<addrinfo>?
    try #require(door.capabilities.names).startLookupThread(named: "names") {
      let found = door.addresses(of: name)
      answer.withLock { $0 = found }
      end.signal()
    }
    #expect(end.wait(timeout: .now() + .seconds(60)) == .success)
    let found = try #require(answer.withLock { $0 })
    switch found {
    case .addresses(let addresses): #expect(Set(addresses.map(\.address.isLoopback)) == [true])
    // Without /etc/hosts this name may be unknown.
    case .failure: #expect(unsafe getaddrinfo("localhost", nil, nil, &unused) != 0, "\(found)")
    }
  }

  @Test(
    arguments: [
      (.noName, .over(.wifi), .nameNotFound), (.noData, .over(.wifi), .noAddressRecords),
      (.noAddressOfFamily, .over(.wifi), .noAddressRecords), (.again, .over(.wifi), .nameServerFailed),
      (.failed, .over(.wifi), .nameServerFailed),
      (.noName, .unsatisfied(), .nameServerUnreachable), (.again, .unsatisfied(), .nameServerUnreachable),
      (.noName, .over(.wifi, dns: false), .nameServerNotConfigured),
      (.noName, nil, .nameNotFound), (.init(code: 12345), .unsatisfied(), .systemError),
    ] as [(SystemResolver.Failure, NWPath?, ReachabilityStatus.Reason)])
  func `a failed lookup offline does not mean that the name does not exist`(
    failure: SystemResolver.Failure, path: NWPath?, reason: ReachabilityStatus.Reason
  ) {
    let stage = Stage(path: path, limit: path == nil ? .milliseconds(1) : .seconds(30))
    #expect(stage.door.reason(for: failure) == reason)
  }
}
