// SPDX-License-Identifier: Apache-2.0
import AppleReachability
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@Suite(.deadline) struct NotifierTests {
  private let network = SimulatedNetwork(ReachabilityStatus(""))

  private func make() throws -> AppleReachability.Reachability {
    try #require(network.withSystemConfiguration { Reachability.forInternetConnection() })
  }

  @Test func `the notification has the original's name and object, and no user info`() async throws {
    #expect(kReachabilityChangedNotification.rawValue == "kNetworkReachabilityChangedNotification")
    #expect(NSNotification.Name.reachabilityChanged == kReachabilityChangedNotification)
    let thread = try LoopThread()
    let reachability = try make()
    let notifications = Log<Bool>()
    let token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { [weak reachability] note in
      notifications.append(note.object as? Reachability === reachability && note.userInfo == nil)
    }
    defer { NotificationCenter.default.removeObserver(token) }
    #expect(try thread.run { reachability.startNotifier() })
    network.setStatus(ReachabilityStatus("R"))
    #expect(try await notifications.wait(for: 1) == [true])
  }

  @Test func `changes are posted on the starting thread, after the status has changed`() async throws {
    let thread = try LoopThread()
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    #expect(try thread.run { reachability.startNotifier() })
    for (count, flags) in ["R", "RW", "", "Rl"].enumerated() {
      network.setStatus(ReachabilityStatus(flags))
      try await recorder.posts.wait(for: count + 1)
    }
    let posts = recorder.posts.elements
    #expect(posts.map(\.status) == [ReachableViaWiFi, ReachableViaWWAN, NotReachable, ReachableViaWiFi])
    let own = try thread.run { ObjectIdentifier(Thread.current) }
    #expect(Set(posts.map(\.thread)) == [own])
  }

  @Test func `nothing is posted before the first change`() async throws {
    let thread = try LoopThread()
    network.setStatus(ReachabilityStatus("R"))
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    try thread.run { _ = reachability.startNotifier() }
    #expect(reachability.currentReachabilityStatus() == .reachableViaWiFi)
    for (count, flags) in ["", "RW"].enumerated() {
      network.setStatus(ReachabilityStatus(flags))
      try await recorder.posts.wait(for: count + 1)
    }
    reachability.stopNotifier()
    try await settle(on: thread)
    #expect(recorder.posts.elements.map(\.status) == [.notReachable, .reachableViaWWAN])
  }

  @Test func `a host posts once even without a change`() async throws {
    let thread = try LoopThread()
    network.setStatus(ReachabilityStatus("R"))
    let reachability = try #require(network.withSystemConfiguration { Reachability(hostName: "example.com") })
    let recorder = NotificationRecorder(reachability)
    try thread.run { _ = reachability.startNotifier() }
    #expect(try await recorder.posts.wait(for: 1).map(\.status) == [.reachableViaWiFi])
  }

  @Test func `a second start has no effect`() async throws {
    let thread = try LoopThread()
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    #expect(try thread.run { reachability.startNotifier() && reachability.startNotifier() })
    network.setStatus(ReachabilityStatus("R"))
    try await recorder.posts.wait(for: 1)
    try thread.run { reachability.stopNotifier() }
    try await settle(on: thread)
    #expect(recorder.posts.elements.count == 1)
  }

  @Test func `a notifier stops from any thread`() async throws {
    let thread = try LoopThread()
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    try thread.run { _ = reachability.startNotifier() }
    reachability.stopNotifier()
    reachability.stopNotifier()
    try await settle(on: thread)
    #expect(recorder.posts.elements.isEmpty)
  }

  @Test func `a stopped notifier restarts, even on another thread`() async throws {
    let threads = [try LoopThread(), try LoopThread()]
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    try threads[0].run { _ = reachability.startNotifier() }
    network.setStatus(ReachabilityStatus("R"))
    try await recorder.posts.wait(for: 1)
    reachability.stopNotifier()
    network.setStatus(ReachabilityStatus(""))
    #expect(try threads[1].run { reachability.startNotifier() })
    network.setStatus(ReachabilityStatus("RW"))
    try await recorder.posts.wait(for: 2)
    let identities = try threads.map { try $0.run { ObjectIdentifier(Thread.current) } }
    #expect(recorder.posts.elements.map(\.thread) == identities)
    #expect(recorder.posts.elements.map(\.status) == [.reachableViaWiFi, .reachableViaWWAN])
  }

  @Test func `a notifier on two threads posts each change once and stops on both`() async throws {
    let threads = [try LoopThread(), try LoopThread()]
    let reachability = try make()
    let recorder = NotificationRecorder(reachability)
    for thread in threads { #expect(try thread.run { reachability.startNotifier() }) }
    network.setStatus(ReachabilityStatus("R"))
    try await recorder.posts.wait(for: 1)
    network.setStatus(ReachabilityStatus("RW"))
    try await recorder.posts.wait(for: 2)
    reachability.stopNotifier()
    for thread in threads { try await settle(on: thread) }
    #expect(recorder.posts.elements.map(\.status) == [.reachableViaWiFi, .reachableViaWWAN])
  }

  @Test func `an observer may stop the notifier during its notification`() async throws {
    let thread = try LoopThread()
    let reachability = try make()
    let posts = Log<Void>()
    let token = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: reachability, queue: nil
    ) { note in
      (note.object as? Reachability)?.stopNotifier()
      posts.append(())
    }
    defer { NotificationCenter.default.removeObserver(token) }
    try thread.run { _ = reachability.startNotifier() }
    network.setStatus(ReachabilityStatus("R"))
    try await posts.wait(for: 1)
    try await settle(on: thread)
    #expect(posts.elements.count == 1)
  }

  @Test func `a started instance is released with its last reference`() async throws {
    let thread = try LoopThread()
    weak var released: AppleReachability.Reachability?
    do {
      let reachability = try make()
      try thread.run { _ = reachability.startNotifier() }
      // The run loop has released its earlier work by now.
      try thread.run {}
      released = reachability
      #expect(released != nil)
    }
    #expect(released == nil)
    try await settle(on: thread)
  }

  @Test func `instances may be released while changes are posted`() throws {
    let thread = try LoopThread()
    for round in 0..<300 {
      var reachability: Optional = try make()
      try thread.run { [reachability] in _ = reachability?.startNotifier() }
      network.setStatus(ReachabilityStatus(round.isMultiple(of: 2) ? "R" : ""))
      reachability = nil
    }
    #expect(try thread.run { true })
  }

  /// Waits until a thread has posted all earlier changes: another instance has posted two later ones.
  private func settle(on thread: LoopThread) async throws {
    let other = try make()
    let recorder = NotificationRecorder(other)
    try thread.run { _ = other.startNotifier() }
    network.setStatus(
      other.currentReachabilityStatus() == .notReachable ? ReachabilityStatus("Rt") : ReachabilityStatus(""))
    try await recorder.posts.wait(for: 1)
    network.setStatus(ReachabilityStatus("RWt"))
    try await recorder.posts.wait(for: 2)
    // The run loop performs work in order, so this follows all that was enqueued before.
    try thread.run {}
  }
}
