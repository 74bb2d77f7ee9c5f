// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// Names that are queried without observers, and observers that join and leave.
@Suite(.deadline) struct UnwatchedNameTests {
  private let a = NameAnswer.found("10.9.0.1")
  private let missing = NameAnswer.failure(.nameNotFound)

  @Test func `a name without observers is looked up once and its answer kept for a minute`() {
    var bench = NameBench()
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.finish("a.test", a) == nil)
    #expect(bench.nextDeadline == nil)
    bench.now = .milliseconds(59_999)
    #expect(bench.answer(for: "a.test") == a)
    #expect(bench.begin() == [])
    bench.now = .seconds(60)
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.begin() == ["a.test"])
  }

  @Test func `removing the last observer ends the lookups`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.watch("a.test")
    bench.unwatch("a.test")
    #expect(bench.begin(at: .seconds(60)) == ["a.test"])
    bench.finish("a.test", a)
    bench.unwatch("a.test")
    #expect(bench.begin(at: .seconds(1000)) == [])
    bench.recordChange()
    #expect(bench.begin(at: .seconds(2000)) == [])
    bench.unwatch("a.test")
    #expect(bench.nextDeadline == nil)
  }

  @Test func `a lookup without observers does not begin`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.unwatch("a.test")
    #expect(bench.begin() == [])
    bench.watch("a.test")
    bench.unwatch("a.test")
    bench.watch("a.test")
    #expect(bench.begin() == ["a.test"])
    #expect(bench.begin() == [])
  }

  @Test func `the answer of a lookup whose observer left is kept, not delivered`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    bench.unwatch("a.test")
    #expect(bench.finish("a.test", a) == nil)
    #expect(bench.watch("a.test") == a)
    #expect(bench.begin() == [])
    #expect(bench.nextDeadline == .seconds(60))
  }

  @Test func `an observer that returns during a lookup waits for that one`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    bench.unwatch("a.test")
    bench.watch("a.test")
    #expect(bench.begin() == [])
    #expect(bench.finish("a.test", a) == a)
  }

  // MARK: Answers without observers

  @Test func `a failed lookup is repeated after its interval and reported until then`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", missing)
    for seconds in [1, 2, 4, 8, 16, 32] {
      let next = bench.now + .seconds(seconds)
      bench.now = next - .milliseconds(1)
      #expect(bench.answer(for: "a.test") == missing)
      #expect(bench.begin() == [])
      bench.now = next
      #expect(bench.answer(for: "a.test") == missing)
      #expect(bench.begin() == ["a.test"])
      #expect(bench.answer(for: "a.test") == missing)
      bench.finish("a.test", missing)
    }
    bench.now += .seconds(59)
    #expect(bench.answer(for: "a.test") == missing)
  }

  @Test func `an observer of a failed name waits no longer than the first interval`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", missing)
    bench.now = .milliseconds(400)
    #expect(bench.watch("a.test") == missing)
    #expect(bench.begin() == [])
    #expect(bench.nextDeadline == .seconds(1))
    bench.unwatch("a.test")
    bench.now = .seconds(30)
    #expect(bench.watch("a.test") == missing)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.finish("a.test", a) == a)
  }

  @Test func `an observer receives a known answer, then a fresh one if it differs`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", a)
    bench.now = .seconds(30)
    #expect(bench.watch("a.test") == a)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.finish("a.test", missing) == missing)
  }

  @Test func `an answer to a lookup from before a change is discarded`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.table.refresh()
    bench.finish("a.test", a)
    #expect(bench.watch("a.test") == nil)
    #expect(bench.begin() == ["a.test"])
  }

  @Test func `an observer that joins a lookup from before a change gets a fresh one too`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.table.refresh()
    bench.watch("a.test")
    #expect(bench.finish("a.test", missing) == missing)
    #expect(bench.begin() == ["a.test"])
  }

  @Test func `an answer from before a settled change is not reported`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", a)
    bench.now = .seconds(10)
    bench.recordChange()
    bench.now = .milliseconds(10_999)
    #expect(bench.answer(for: "a.test") == a)
    bench.now = .seconds(11)
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.begin() == ["a.test"])
  }
}
