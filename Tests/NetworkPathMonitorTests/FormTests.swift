// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Foundation
import NetworkPathMonitor
import Observation
import ReachabilityKit
import RequirementSupport
import TestSupport
import Testing

/// The forms of real programs (`Forms`) on a real cable; both language modes compile them and this file.
@Suite("Forms", .serialized, .needsNamespaces, .deadline)
struct FormTests {
  private let cable: Cable

  init() throws {
    cable = try Cable()
    // A link-local address, which can be used only after some time, would be a change of the path in between.
    try cable.host.writeSysctl("net/ipv6/conf/all/disable_ipv6", "1")
  }

  /// Runs a closure whose monitors belong to the cable's network.
  private func inNetwork<T>(_ body: () throws -> T) rethrows -> T {
    try ReachabilityMonitor.$substitute.withValue(cable.monitor, operation: body)
  }

  private func inNetwork<T>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> T
  ) async rethrows -> T {
    try await ReachabilityMonitor.$substitute.withValue(cable.monitor, operation: body)
  }

  @Test func `a handler that holds its owner weakly follows the cable until the owner is gone`() async throws
  {
    let log = Log<String>()
    var observer: ConnectionObserver? = inNetwork { ConnectionObserver { log.append($0.rawValue) } }
    try await log.wait(for: 1)
    #expect(observer?.current == .wired)
    try cable.setDefaultRoute(false)
    try await log.wait(for: 2)
    observer = nil
    // The other observer has received the change, and the first one has not.
    let other = inNetwork { ConnectionObserver { log.append("other \($0.rawValue)") } }
    #expect(try await log.wait(for: 3) == ["wired", "none", "other none"])
    try cable.setDefaultRoute(true)
    #expect(try await log.wait(for: 4) == ["wired", "none", "other none", "other wired"])
    withExtendedLifetime(other) {}
  }

  @Test func `a continuation is resumed once, online and offline`() async throws {
    #expect(await inNetwork { await OneShot.isOnline() })
    try cable.setDefaultRoute(false)
    #expect(await inNetwork { await OneShot.isOnline() } == false)
  }

  @Test func `a semaphore is signalled, online and offline`() throws {
    #expect(inNetwork { OneShot.isOnlineNow() } == true)
    try cable.setDefaultRoute(false)
    #expect(inNetwork { OneShot.isOnlineNow() } == false)
  }

  @Test func `the first element of a sequence is the current path`() async throws {
    #expect(await inNetwork { await OneShot.firstPath() }?.status == .satisfied)
    try cable.setDefaultRoute(false)
    #expect(await inNetwork { await OneShot.firstPath() }?.status == .unsatisfied)
  }

  @Test func `a singleton that is never cancelled tells its listeners each change`() async throws {
    let log = Log<Bool>()
    inNetwork { SharedNetwork.shared }.listen { log.append($0) }
    try await log.wait(for: 1)
    #expect(SharedNetwork.shared.isOnline == true)
    #expect(!SharedNetwork.shared.isMetered)
    try cable.setDefaultRoute(false)
    #expect(try await log.wait(for: 2) == [true, false])
  }

  @Test func `a stream that wraps the handler ends its monitor with its task`() async throws {
    let log = Log<Bool>()
    let task = inNetwork {
      Task {
        for await path in PathStream().paths() { log.append(path.status == .satisfied) }
        log.append(false)
      }
    }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    try await log.wait(for: 2)
    try cable.setDefaultRoute(true)
    #expect(try await log.wait(for: 3) == [true, false, true])
    task.cancel()
    #expect(try await log.wait(for: 4).count == 4)
  }

  @Test func `a stream that wraps the sequence ends when the monitor is cancelled`() async throws {
    let log = Log<Bool>()
    let monitor = inNetwork { NWPathMonitor() }
    let task = Task {
      for await isOnline in PathStream().statuses(of: monitor) { log.append(isOnline) }
    }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    #expect(try await log.wait(for: 2) == [true, false])
    monitor.cancel()
    await task.value
  }

  @Test func `an actor's waiters resume when the route returns`() async throws {
    try cable.setDefaultRoute(false)
    let actor = inNetwork { ConnectivityActor() }
    await actor.start()
    async let wait: Void = actor.waitUntilOnline()
    try cable.setDefaultRoute(true)
    await wait
    #expect(await actor.interfaces == ["v0"])
    await actor.stop()
  }

  @Test func `a monitor behind the program's own protocol delivers to it`() async throws {
    let log = Log<String>()
    let injected = inNetwork { InjectedMonitor() }
    injected.begin { log.append($0) }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    #expect(try await log.wait(for: 2) == ["online v0", "offline"])
    injected.end()
    #expect(Set(NWInterface.InterfaceType.allCases).count == 5)
  }

  @Test func `a monitor without a reference keeps delivering`() async throws {
    let log = Log<Bool>()
    inNetwork { Unheld.observe { log.append($0) } }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    try await log.wait(for: 2)
    try cable.setDefaultRoute(true)
    #expect(try await log.wait(for: 3) == [true, false, true])
  }

  @Test func `a handler on the line after the start receives the first path`() async throws {
    for _ in 0..<200 {
      let log = Log<NWPath>()
      let monitor = inNetwork { Unheld.observeLate { log.append($0) } }
      #expect(try await log.wait(for: 1).first?.status == .satisfied)
      monitor.cancel()
    }
  }

  @Test func `a notification is posted for each path, also after a second start`() async throws {
    let log = Log<Bool>()
    let center = NotificationCenter()
    let token = center.addObserver(forName: .connectivityChanged, object: nil, queue: nil) {
      log.append($0.userInfo?["online"] as? Bool ?? false)
    }
    let notifier = inNetwork { Notifier(center: center) }
    inNetwork { notifier.start() }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    try await log.wait(for: 2)
    notifier.stop()
    try cable.setDefaultRoute(true)
    inNetwork { notifier.start() }
    #expect(try await log.wait(for: 3) == [true, false, true])
    notifier.stop()
    center.removeObserver(token)
  }

  @Test @MainActor func `an observable model on the main actor shows the path`() async throws {
    try cable.setDefaultRoute(false)
    let model = inNetwork { ScreenModel() }
    #expect(model.isConnected)
    for await isConnected in Observations({ model.isConnected }) where !isConnected { break }
    #expect(model.interfaceType == nil)
    try cable.setDefaultRoute(true)
    for await isConnected in Observations({ model.isConnected }) where isConnected { break }
    for await type in Observations({ model.interfaceType }) where type == .wiredEthernet { break }
  }

  @Test @MainActor func `a task over the sequence reports to the main actor`() async throws {
    let log = Log<Bool>()
    let model = inNetwork { TaskModel() }
    model.start { log.append($0.status == .satisfied) }
    try await log.wait(for: 1)
    try cable.setDefaultRoute(false)
    #expect(try await log.wait(for: 2) == [true, false])
    #expect(model.path?.status == .unsatisfied)
  }

  @Test func `a subject's method is the handler, and chained handlers are all called`() async throws {
    let log = Log<String>()
    let reactive = inNetwork { ReactiveMonitor() }
    reactive.subject.sink { log.append("subject \($0.status == .satisfied)") }
    let stop = reactive.connect()
    #expect(try await log.wait(for: 1) == ["subject true"])
    reactive.chain { log.append("chained \($0.status == .satisfied)") }
    #expect(try await log.wait(for: 3) == ["subject true", "subject true", "chained true"])
    try cable.setDefaultRoute(false)
    #expect(try await log.wait(for: 5).suffix(2) == ["subject false", "chained false"])
    stop()
  }

  @Test func `qualified names, scoped imports and endpoints describe the cable`() async throws {
    let path = try #require(await inNetwork { await OneShot.firstPath() })
    #expect(Details.gatewayAddress(of: path) == "10.1.0.254")
    #expect(Details.names(of: path) == ["v0 true wiredEthernet"])
    #expect(Details.families(of: path).hasPrefix("v4"))
    #expect(Details.advice(for: path) == "go")
    try cable.setDefaultRoute(false)
    let offline = try #require(await inNetwork { await OneShot.firstPath() })
    #expect(Details.advice(for: offline) == "none")
    #expect(Details.gatewayAddress(of: offline) == nil)
  }
}
