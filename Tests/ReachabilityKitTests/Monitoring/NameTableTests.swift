// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The times at which names are looked up.
@Suite(.deadline) struct NameTableTests {
  private let a = NameAnswer.found("10.9.0.1")
  private let b = NameAnswer.found("10.9.0.2")
  private let missing = NameAnswer.failure(.nameNotFound)

  @Test func `a name is looked up once, when its first observer joins`() {
    var bench = NameBench()
    #expect(bench.watch("a.test") == nil)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.begin() == [])
    #expect(bench.nextDeadline == .milliseconds(100))
    #expect(bench.finish("a.test", a) == a)
  }

  @Test func `equal names share one lookup and its answer`() {
    var bench = NameBench()
    bench.watch("a.test")
    #expect(bench.watch("A.Test") == nil)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.watch("a.TEST") == nil)
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.begin() == [])
    #expect(bench.finish("a.test", a) == a)
    #expect(bench.watch("a.test") == a)
    #expect(bench.answer(for: "a.test") == a)
    #expect(bench.begin() == [])
  }

  @Test func `an answer is news only if it differs`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    for (answer, news) in [(a, nil), (b, b), (missing, missing), (missing, nil), (a, a)] as [(_, NameAnswer?)]
    {
      bench.table.refresh()
      #expect(bench.begin() == ["a.test"])
      #expect(bench.finish("a.test", answer) == news)
    }
  }

  @Test(arguments: [[Duration.zero], [.zero, .seconds(100)], [.zero, .milliseconds(700)]])
  func `a name that is added just after a change is looked up again once the network has settled`(
    _ changes: [Duration]
  ) {
    var bench = NameBench()
    for moment in changes {
      bench.now = moment
      bench.recordChange()
    }
    bench.now += .milliseconds(300)
    bench.watch("a.test")
    #expect(bench.begin() == ["a.test"])
    bench.finish("a.test", a)
    #expect(bench.begin(at: bench.now + .milliseconds(600)) == [])
    #expect(bench.begin(at: bench.now + .milliseconds(200)) == ["a.test"])
  }

  @Test func `a lookup whose thread has not begun waits for no name server`() {
    var bench = NameBench()
    bench.watch("a.test")
    let name = ReachabilityTarget.HostName(literal: "a.test")
    let start = bench.instant
    #expect(bench.table.startAll(start) == [name])
    bench.now = .milliseconds(100)
    #expect(bench.examine(isServerReachable: false) == [:])
    #expect(bench.nextDeadline == .milliseconds(200))
    bench.now = .milliseconds(150)
    #expect(bench.table.threadsToExamine(bench.instant).isEmpty)
    bench.table.recordBegin(of: name, startedAt: start, now: bench.instant, on: bench.thread)
    bench.now = .milliseconds(249)
    #expect(!bench.table.needsExamination(bench.instant))
    #expect(bench.table.threadsToExamine(bench.instant).isEmpty)
    bench.now = .milliseconds(250)
    #expect(Array(bench.table.threadsToExamine(bench.instant).keys) == [name])
    #expect(bench.examine(isServerReachable: false, busy: ["a.test"]) == [:])
    bench.now = .milliseconds(349)
    #expect(!bench.table.needsExamination(bench.instant))
    bench.now = .milliseconds(350)
    #expect(bench.examine(isServerReachable: false) == ["a.test": .failure(.nameServerUnreachable)])
  }

  @Test func `the addresses of one family in another order are no news`() {
    var bench = NameBench()
    let first = NameAnswer.found("10.9.0.1", "10.9.0.2", "fd00:9::1")
    bench.watch("a.test", answering: first)
    bench.table.refresh()
    bench.begin()
    #expect(bench.finish("a.test", .found("10.9.0.2", "10.9.0.1", "fd00:9::1")) == nil)
    #expect(bench.answer(for: "a.test") == first)
    bench.table.refresh()
    bench.begin()
    let other = NameAnswer.found("fd00:9::1", "10.9.0.1", "10.9.0.2")
    #expect(bench.finish("a.test", other) == other)
  }

  // MARK: Repeated lookups

  @Test func `a name that was found is looked up again after a minute`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    #expect(bench.nextDeadline == .seconds(60))
    #expect(bench.begin(at: .milliseconds(59_999)) == [])
    #expect(bench.begin(at: .seconds(60)) == ["a.test"])
    bench.now = .seconds(63)
    #expect(bench.finish("a.test", a) == nil)
    #expect(bench.nextDeadline == .seconds(123))
  }

  @Test func `failed lookups repeat after 1 s, then at doubled intervals of up to a minute`() {
    var bench = NameBench()
    bench.watch("a.test", answering: missing)
    for seconds in [1, 2, 4, 8, 16, 32, 60, 60, 60] {
      let next = bench.now + .seconds(seconds)
      #expect(bench.nextDeadline == next)
      #expect(bench.begin(at: next - .milliseconds(1)) == [])
      #expect(bench.begin(at: next) == ["a.test"])
      bench.finish("a.test", missing)
    }
    bench.begin(at: bench.now + .seconds(60))
    bench.finish("a.test", a)
    bench.begin(at: bench.now + .seconds(60))
    // From the beginning.
    bench.finish("a.test", missing)
    #expect(bench.nextDeadline == bench.now + .seconds(1))
  }

  @Test(arguments: [0, 1]) func `the first interval is a second`(failures: Int) {
    #expect(NameTable.backoff(failures: failures) == .seconds(1))
  }

  @Test(arguments: [7, 8, 64, 1_000_000, Int.max]) func `no interval is longer than a minute`(failures: Int) {
    #expect(NameTable.backoff(failures: failures) == .seconds(60))
  }

  @Test func `a refresh looks up every observed name and resets the intervals`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.watch("b.test", answering: missing)
    for second in [1, 3, 7] {
      bench.begin(at: .seconds(second))
      bench.finish("b.test", missing)
    }
    bench.table.refresh()
    #expect(bench.begin().sorted() == ["a.test", "b.test"])
    bench.finish("a.test", a)
    bench.finish("b.test", missing)
    #expect(bench.nextDeadline == .seconds(8))
  }

  @Test func `a router that answers again repeats the lookups that failed, and no others`() {
    var bench = NameBench()
    let timedOut = NameAnswer.failure(.nameResolutionTimedOut)
    bench.watch("a.test", answering: a)
    bench.watch("b.test", answering: missing)
    bench.watch("c.test", answering: timedOut)
    for second in [1, 3, 7] {
      bench.begin(at: .seconds(second))
      bench.finish("b.test", missing)
      bench.finish("c.test", timedOut)
    }
    #expect(bench.begin(at: .seconds(8)) == [])
    bench.table.retryUnanswered()
    #expect(bench.begin() == ["c.test"])
    // Begun before the router returned once more, it may have lost its packets.
    bench.table.retryUnanswered()
    #expect(bench.finish("c.test", timedOut) == nil)
    #expect(bench.begin() == ["c.test"])
    #expect(bench.finish("c.test", b) == b)
    bench.table.retryUnanswered()
    #expect(bench.begin() == [])
  }

  @Test(arguments: [false, true])
  func `a settled change of the network repeats the lookups`(ofSettings: Bool) {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.now = .seconds(10)
    bench.recordChange(ofSettings: ofSettings)
    let settled = bench.now + (ofSettings ? .milliseconds(100) : .seconds(1))
    #expect(bench.nextDeadline == settled)
    #expect(bench.begin(at: settled - .milliseconds(1)) == [])
    #expect(bench.begin(at: settled) == ["a.test"])
    bench.finish("a.test", a)
    #expect(bench.begin(at: settled + .milliseconds(59_999)) == [])
    #expect(bench.begin(at: settled + .seconds(60)) == ["a.test"])
  }

  @Test func `lookups wait for a network that keeps changing, but for at most 5 s`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.now = .seconds(10)
    bench.recordChange()
    bench.now = .milliseconds(10_900)
    bench.recordChange()
    #expect(bench.nextDeadline == .milliseconds(11_900))
    for step in 2...5 {
      bench.now = .milliseconds(10_000 + 900 * step)
      #expect(bench.begin() == [])
      bench.recordChange()
    }
    #expect(bench.nextDeadline == .seconds(15))
    #expect(bench.begin(at: .seconds(15)) == ["a.test"])
    // The next change starts a new period.
    bench.finish("a.test", a)
    bench.recordChange()
    #expect(bench.nextDeadline == .seconds(16))
  }

  @Test func `new resolver settings do not shorten the wait for the network`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.recordChange()
    bench.now = .milliseconds(300)
    bench.recordChange(ofSettings: true)
    #expect(bench.nextDeadline == .seconds(1))
  }

  @Test func `a refresh replaces the lookups that are due once the network settles`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.recordChange()
    bench.table.refresh()
    #expect(bench.begin() == ["a.test"])
    bench.finish("a.test", a)
    #expect(bench.nextDeadline == .seconds(60))
  }

  @Test func `an answer from before a change is delivered, and looked up again immediately`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    bench.recordChange(ofSettings: true)
    #expect(bench.begin(at: .seconds(1)) == [])
    #expect(bench.finish("a.test", missing) == missing)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.finish("a.test", a) == a)
    #expect(bench.begin() == [])
    #expect(bench.nextDeadline == .seconds(61))
  }

  // MARK: This machine

  @Test(arguments: ["localhost", "localhost.", "LocalHost", "www.localhost", "a.b.localhost."])
  func `names of this machine are never looked up`(name: String) {
    var bench = NameBench()
    let loopback = NameAnswer.found("::1", "127.0.0.1")
    #expect(bench.answer(for: name) == loopback)
    #expect(bench.watch(name) == loopback)
    bench.table.refresh()
    bench.recordChange()
    #expect(bench.begin(at: .seconds(1000)) == [])
    #expect(bench.nextDeadline == nil)
    bench.unwatch(name)
  }

  @Test(arguments: ["localhost.test", "notlocalhost", "localhost.localdomain"])
  func `names that merely resemble those of this machine are looked up`(name: String) {
    var bench = NameBench()
    #expect(bench.watch(name) == nil)
    #expect(bench.begin() == [name])
  }

  // MARK: Outages

  @Test(
    arguments: [.nameResolutionTimedOut, .nameServerUnreachable, .nameServerFailed]
      as [ReachabilityStatus.Reason])
  func `a lookup that began before a change and fails leaves the known addresses, and is repeated`(
    reason: ReachabilityStatus.Reason
  ) {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.table.refresh()
    #expect(bench.begin() == ["a.test"])
    bench.recordChange()
    #expect(bench.finish("a.test", .failure(reason)) == nil)
    #expect(bench.answer(for: "a.test") == a)
    #expect(bench.begin() == ["a.test"])
    // Nothing has changed since.
    let news: NameAnswer? = reason == .nameServerUnreachable ? nil : .failure(reason)
    #expect(bench.finish("a.test", .failure(reason)) == news)
  }

  @Test func `a name that does not exist is news, also after a change`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.table.refresh()
    bench.begin()
    bench.recordChange()
    #expect(bench.finish("a.test", missing) == missing)
  }

  @Test func `known addresses stay while no name server is reachable, unless the settings changed`() {
    let unreachable = NameAnswer.failure(.nameServerUnreachable)
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.table.refresh()
    bench.begin()
    #expect(bench.finish("a.test", unreachable) == nil)
    #expect(bench.answer(for: "a.test") == a)
    #expect(bench.nextDeadline == .seconds(1))
    bench.recordChange(ofSettings: true)
    #expect(bench.begin(at: .milliseconds(100)) == ["a.test"])
    #expect(bench.finish("a.test", unreachable) == unreachable)
  }

  @Test func `a first lookup that takes long tells that no name server is reachable, and continues`() {
    let unreachable = NameAnswer.failure(.nameServerUnreachable)
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    #expect(!bench.table.needsExamination(bench.instant))
    bench.now = NameTable.promptness
    #expect(bench.table.needsExamination(bench.instant))
    #expect(bench.examine(isServerReachable: false) == ["a.test": unreachable])
    #expect(bench.examine(isServerReachable: false) == [:])
    #expect(bench.finish("a.test", a) == a)
  }

  @Test func `a name server that can be reached again is asked immediately, beside a lookup that runs`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.watch("b.test", answering: b)
    bench.table.refresh()
    #expect(Set(bench.running + bench.begin()) == ["a.test", "b.test"])
    bench.now = NameTable.promptness
    bench.examine(isServerReachable: false)
    bench.finish("b.test", .failure(.nameServerUnreachable))
    #expect(!bench.table.waitingForServer.isEmpty)
    #expect(bench.begin() == [])
    #expect(bench.recordReachableServer() == ["a.test", "b.test"])
    #expect(bench.begin().sorted() == ["a.test", "b.test"])
    #expect(bench.table.waitingForServer.isEmpty)
    #expect(bench.finishGivenUp(.failure(.nameResolutionTimedOut)) == nil)
    #expect(bench.finish("a.test", a) == a)
  }

  @Test func `a name that the hosts of the link are asked for needs no name server`() {
    var bench = NameBench()
    bench.watch("printer.local")
    bench.begin()
    #expect(!bench.table.needsExamination(bench.instant.advanced(by: .seconds(5))))
  }
}
