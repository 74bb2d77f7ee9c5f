// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The limits of concurrent lookups: unresponsive name servers do not delay names of other zones.
@Suite(.deadline) struct NameLimitTests {
  private let found = NameAnswer.found("10.9.0.1")
  private let late = NameAnswer.failure(.nameResolutionTimedOut)

  /// Names in a zone.
  private func names(_ count: Int, in zone: String) -> [String] {
    (0..<count).map { "n\($0).\(zone)" }
  }

  @Test func `at most six lookups run concurrently, whatever the number of names`() {
    var bench = NameBench()
    let names = (0..<1000).map { "www.zone\($0).test" }
    for name in names { bench.watch(name) }
    #expect(bench.begin() == Array(names.prefix(6)))
    #expect(bench.begin(at: .seconds(1000)) == [])
    bench.finish(names[3], found)
    #expect(bench.begin() == [names[6]])
  }

  @Test func `at most four lookups run concurrently in one zone`() {
    var bench = NameBench()
    let names = names(1000, in: "dead.test")
    for name in names { bench.watch(name) }
    #expect(bench.begin() == Array(names.prefix(4)))
    bench.watch("www.alive.test")
    bench.watch("alive.test")
    bench.watch("www2.alive.test")
    #expect(bench.begin() == ["www.alive.test", "alive.test"])
    bench.finish("alive.test", found)
    #expect(bench.begin() == ["www2.alive.test"])
  }

  @Test(
    arguments: [
      ("a.test", "b.a.test"), ("a.test.", "b.c.a.test"), ("test", "test."), ("com", "com"),
      ("A.test", "b.a.TEST"),
    ])
  func `a zone is the last two labels of a name`(one: String, other: String) {
    let zones = [one, other].map { ReachabilityTarget.HostName(literal: $0).zone }
    #expect(zones[0] == zones[1])
  }

  @Test func `zones with unresponsive servers leave room for others, whatever their number`() {
    var bench = NameBench()
    let dead = (0..<6).map { "www.dead\($0).test" }
    for name in dead { bench.watch(name) }
    #expect(bench.begin() == dead)
    bench.now = .seconds(10)
    for name in dead { bench.finish(name, late) }
    // All are due again at the same time as one whose server responds.
    bench.now = .seconds(11)
    bench.watch("www.alive.test")
    bench.watch("www.alive2.test")
    let begun = bench.begin()
    #expect(begun.prefix(2) == ["www.alive.test", "www.alive2.test"])
    #expect(begun.count == 6 && Set(begun.dropFirst(2)).isSubset(of: dead))
    bench.finish("www.alive.test", found)
    bench.finish("www.alive2.test", found)
    #expect(bench.begin() == [])
    bench.watch("www.alive3.test")
    #expect(bench.begin() == ["www.alive3.test"])
    bench.finish("www.alive3.test", found)
    bench.now = .seconds(21)
    bench.finish(begun[2], late)
    let next = bench.begin()
    #expect(next.count == 1 && Set(next).isSubset(of: Set(dead).subtracting(begun)))
  }

  @Test func `a slow lookup counts as one in a zone that is known to be slow`() {
    var bench = NameBench()
    bench.watch("www.slow.test")
    bench.begin()
    bench.finish("www.slow.test", late)
    let unknown = (0..<4).map { "www.zone\($0).test" }
    for name in unknown { bench.watch(name) }
    #expect(bench.begin() == unknown)
    // These have not been slow for long enough.
    #expect(bench.begin(at: .milliseconds(999)) == [])
    // Two places are free, and neither is for a server that is known to be slow.
    #expect(bench.begin(at: .seconds(1)) == [])
    bench.watch("www.alive.test")
    #expect(bench.begin() == ["www.alive.test"])
    bench.finish(unknown[0], found)
    #expect(bench.begin() == ["www.slow.test"])
  }

  @Test func `a zone whose server responds again is like any other`() {
    var bench = NameBench()
    let names = (0..<5).map { "www.dead\($0).test" }
    for name in names {
      bench.watch(name)
      bench.begin()
      bench.finish(name, late)
    }
    bench.table.refresh()
    #expect(bench.begin().count == 4)
    // A negative answer is an answer too.
    for name in bench.running { bench.finish(name, .failure(.nameNotFound)) }
    bench.begin()
    for name in bench.running { bench.finish(name, found) }
    bench.table.refresh()
    #expect(bench.begin().count == 5)
  }

  @Test func `names are looked up in the order of their arrival`() {
    var bench = NameBench()
    let names = names(40, in: "zone.test")
    for name in names { bench.watch(name) }
    var order: [String] = []
    while true {
      order += bench.begin()
      guard let first = bench.running.first else { break }
      bench.finish(first, found)
    }
    #expect(order == names)
  }

  @Test func `zones are served in turn, however many names one of them has`() {
    var bench = NameBench()
    for name in names(1000, in: "big.test") { bench.watch(name) }
    bench.begin()
    for number in 0..<10 { bench.watch("www.small\(number).test") }
    bench.begin()
    var order: [String] = []
    while let first = bench.running.first, order.count < 24 {
      bench.finish(first, found)
      order += bench.begin()
    }
    // No small zone waits for more than a few names of the big one.
    let last = order.lastIndex { $0.contains("small") }
    #expect(order.count { $0.contains("small") } == 8)
    #expect(last.map { $0 < 20 } == true)
  }

  @Test func `names that are queried once do not accumulate`() {
    var bench = NameBench()
    // Hours of a program that queries new names all the time; the answers are slow.
    for number in 0..<5000 {
      bench.now += .seconds(1)
      #expect(bench.answer(for: "n\(number).zone.test") == nil)
      #expect(bench.begin().count == 1)
      bench.finish("n\(number).zone.test", found)
    }
    #expect(bench.known <= 128)
  }

  // MARK: Lookups that do not end

  @Test func `a lookup that does not end is abandoned, and others take its place`() {
    var bench = NameBench()
    let stuck = (0..<6).map { "www.stuck\($0).test" }
    for name in stuck { bench.watch(name) }
    #expect(bench.begin() == stuck)
    #expect(bench.nextDeadline == NameTable.promptness)
    bench.now = NameTable.promptness
    #expect(bench.examine(isServerReachable: true) == [:])
    #expect(bench.nextDeadline == .seconds(30))
    bench.watch("www.alive.test")
    #expect(bench.giveUp(at: NameTable.timeLimit - .seconds(1)) == [:])
    #expect(bench.begin() == [])
    let told = bench.giveUp(at: NameTable.timeLimit)
    #expect(told == Dictionary(uniqueKeysWithValues: stuck.map { ($0, late) }))
    #expect(bench.begin() == ["www.alive.test"])
    #expect(bench.finish("www.alive.test", found) == found)
    #expect(bench.giveUp(at: NameTable.timeLimit) == [:])
  }

  @Test func `the result of an abandoned lookup is discarded as outdated`() {
    var bench = NameBench()
    bench.watch("www.test")
    bench.begin()
    #expect(bench.giveUp(at: NameTable.timeLimit) == ["www.test": late])
    // The name is looked up again as after any failure.
    #expect(bench.nextDeadline == NameTable.timeLimit + .seconds(1))
    #expect(bench.begin(at: NameTable.timeLimit + .seconds(1)) == ["www.test"])
    // The first one ends first.
    #expect(bench.finishGivenUp(.failure(.nameNotFound)) == nil)
    #expect(bench.answer(for: "www.test") == late)
    #expect(bench.finish("www.test", found) == found)
  }

  @Test func `the lookup of a name without observers is abandoned too`() {
    var bench = NameBench()
    #expect(bench.answer(for: "www.test") == nil)
    bench.begin()
    #expect(bench.giveUp(at: NameTable.timeLimit) == [:])
    #expect(bench.answer(for: "www.test") == late)
    #expect(bench.finishGivenUp(found) == nil)
    #expect(bench.answer(for: "www.test") == late)
  }

  @Test func `a name whose lookups never end does not block other names`() {
    var bench = NameBench()
    bench.watch("www.stuck.test")
    var begun = 0
    for round in 0..<100 {
      bench.table.refresh()
      begun += bench.begin(at: NameTable.timeLimit * round).count
      _ = bench.giveUp(at: NameTable.timeLimit * (round + 1))
    }
    #expect(begun == 4 && bench.givenUp.count == 4)
    #expect(bench.answer(for: "www.stuck.test") == late)
    bench.watch("www.alive.test")
    #expect(bench.begin() == ["www.alive.test"])
    // Once one of them ends, another can begin.
    #expect(bench.finishGivenUp(found) == nil)
    #expect(bench.begin() == ["www.stuck.test"])
    #expect(bench.finish("www.stuck.test", found) == found)
  }

  @Test func `each lookup that ends makes room for one more of the same name`() {
    var bench = NameBench()
    bench.watch("www.stuck.test")
    for round in 0..<8 {
      bench.table.refresh()
      let begun = bench.begin(at: NameTable.timeLimit * round)
      if round < 4 {
        #expect(begun == ["www.stuck.test"])
      } else {
        #expect(begun == [])
        #expect(bench.finishGivenUp(found) == nil)
        #expect(bench.begin() == ["www.stuck.test"])
      }
      _ = bench.giveUp(at: NameTable.timeLimit * (round + 1))
    }
  }

  @Test func `beyond a limit of lookups that do not end, no other begins until one ends`() {
    var bench = NameBench()
    let names = (0..<1000).map { "www.zone\($0).test" }
    for name in names { bench.watch(name) }
    var begun = 0
    for round in 0..<100 {
      begun += bench.begin(at: NameTable.timeLimit * round).count
      _ = bench.giveUp(at: NameTable.timeLimit * (round + 1))
    }
    #expect(begun == 36 && bench.givenUp.count == 36)
    for _ in 0..<4 { #expect(bench.finishGivenUp(found) == nil) }
    #expect(bench.begin() == [])
    #expect(bench.finishGivenUp(found) == nil)
    #expect(bench.begin().count == 6)
  }
}
