// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import POSIX
import Synchronization
import TestSupport
import Testing

@testable import ReachabilityKit

/// The threads on which lookups begin, and the news that follows.
// An answer is refreshed after 60 s, for which a test on the task pool may wait for its turn on a busy machine.
@Suite(.timeLimit(.minutes(10)), .onOwnThreads, .deadline) struct NameResolverTests {
  /// A service without threads, which counts the attempts to start one.
  private final class ThreadlessNames: NameService {
    let count = Mutex(0)

    func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer { .failure(.nameNotFound) }

    func startLookupThread(named name: String, _ body: @escaping @Sendable () -> Void)
      throws(ReachabilityMonitorError)
    {
      count.withLock { $0 += 1 }
      throw ReachabilityMonitorError(.systemUnavailable, description: "there is no thread")
    }
  }

  /// A service that answers after three times the time in which a lookup is prompt, all of it on a processor.
  private struct BusyNames: NameService {
    let canReachServer = false

    func addresses(of name: ReachabilityTarget.HostName) -> NameAnswer {
      let start = Moment.now
      while start.duration(to: .now) < NameTable.promptness * 3 {}
      return .found("10.9.0.1")
    }
  }

  @Test func `a lookup that takes a processor for long waits for no name server`() {
    let resolver = NameResolver(BusyNames()) {}
    let name = ReachabilityTarget.HostName(literal: "a.test")
    var answer: NameAnswer?
    while answer == nil { answer = resolver.answer(for: name) }
    #expect(answer == .found("10.9.0.1"))
  }

  @Test func `a lookup without a thread fails immediately`() {
    let wakes = Mutex(0)
    let resolver = NameResolver(ThreadlessNames()) { wakes.withLock { $0 += 1 } }
    resolver.follow(.added(ReachabilityTarget.HostName(literal: "a.test")))
    #expect(wakes.withLock(\.self) == 1)
    #expect(resolver.dequeueAnswers().map(\.answer) == [.failure(.systemError)])
  }

  @Test func `a stopped resolver begins no lookup`() {
    let names = ThreadlessNames()
    let resolver = NameResolver(names) {}
    resolver.stop()
    resolver.follow(.added(ReachabilityTarget.HostName(literal: "a.test")))
    #expect(resolver.answer(for: ReachabilityTarget.HostName(literal: "b.test")) == nil)
    #expect(names.count.withLock(\.self) == 0)
  }

  @Test func `when a lookup ends, all lookups that are due begin`() async throws {
    let found = NameAnswer.found("10.9.0.1")
    let names = NamesDouble(["a.test": found, "b.test": found, "c.test": found])
    let wakes = Log<Void>()
    let resolver = NameResolver(names) { wakes.note() }
    for name in ["a.test", "b.test", "c.test"] {
      resolver.follow(.added(ReachabilityTarget.HostName(literal: name)))
    }
    try await wakes.wait(for: 3)
    resolver.follow(.added(ReachabilityTarget.HostName(literal: "stuck.test")))
    try await names.asked.wait(for: 4)
    resolver.recordChange(ofSettings: true)
    try await Task.sleep(for: NameTable.settingsQuietTime)
    names.set("stuck.test", found)
    let asked = try await names.asked.wait(for: 8)
    #expect(asked.suffix(4).sorted() == ["a.test", "b.test", "c.test", "stuck.test"])
  }
}
