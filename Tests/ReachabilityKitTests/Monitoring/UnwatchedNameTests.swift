import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// Names that are asked about without being watched, and those who come and go.
@Suite(.deadline) struct UnwatchedNameTests {
  private let a = NameAnswer.found("10.9.0.1")
  private let missing = NameAnswer.failure(.nameNotFound)

  @Test func `a name that nobody watches is looked up once, and its answer kept for a minute`() {
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

  @Test func `the last watcher's leaving ends the look-ups`() {
    var bench = NameBench()
    bench.watch("a.test", answering: a)
    bench.watch("a.test")
    bench.unwatch("a.test")
    #expect(bench.begin(at: .seconds(60)) == ["a.test"])
    bench.finish("a.test", a)
    bench.unwatch("a.test")
    #expect(bench.begin(at: .seconds(1000)) == [])
    bench.noteChange()
    #expect(bench.begin(at: .seconds(2000)) == [])
    bench.unwatch("a.test")
    #expect(bench.nextDeadline == nil)
  }

  @Test func `a look-up that nobody waits for any more is not begun`() {
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

  @Test func `a look-up whose watcher left meanwhile tells nobody, but is not in vain`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    bench.unwatch("a.test")
    #expect(bench.finish("a.test", a) == nil)
    #expect(bench.watch("a.test") == a)
    #expect(bench.begin() == [])
    #expect(bench.nextDeadline == .seconds(60))
  }

  @Test func `who watches again while the look-up goes on waits for that one`() {
    var bench = NameBench()
    bench.watch("a.test")
    bench.begin()
    bench.unwatch("a.test")
    bench.watch("a.test")
    #expect(bench.begin() == [])
    #expect(bench.finish("a.test", a) == a)
  }

  // MARK: What happened while nobody listened

  @Test func `a failure is looked up again when its interval is over, and told meanwhile`() {
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

  @Test func `who begins to watch a name that was not found does not wait for long`() {
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

  @Test func `who begins to watch is told an older answer, and what is true by now`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", a)
    bench.now = .seconds(30)
    #expect(bench.watch("a.test") == a)
    #expect(bench.begin() == ["a.test"])
    #expect(bench.finish("a.test", missing) == missing)
  }

  @Test func `an answer to a look-up from before a change is not believed`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.table.refresh()
    bench.finish("a.test", a)
    #expect(bench.watch("a.test") == nil)
    #expect(bench.begin() == ["a.test"])
  }

  @Test func `who begins to watch during a look-up from before a change gets a new one too`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.table.refresh()
    bench.watch("a.test")
    #expect(bench.finish("a.test", missing) == missing)
    #expect(bench.begin() == ["a.test"])
  }

  @Test func `an answer from before a change that has settled is not told`() {
    var bench = NameBench()
    _ = bench.answer(for: "a.test")
    bench.begin()
    bench.finish("a.test", a)
    bench.now = .seconds(10)
    bench.noteChange()
    bench.now = .milliseconds(10_999)
    #expect(bench.answer(for: "a.test") == a)
    bench.now = .seconds(11)
    #expect(bench.answer(for: "a.test") == nil)
    #expect(bench.begin() == ["a.test"])
  }
}
