// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct EntryTableTests {
  private typealias Table = EntryTable<Watcher>

  private func key(_ number: Int, settling: Duration = .zero) -> Table.Key {
    .init(target: .address(.v4(.init(rawValue: UInt32(number)))), settling: settling)
  }

  @Test(arguments: 1...8)
  func `a slot is found by its hash, however many slots share the hash`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    // Values that are their own hashes: few different ones, around the table's end.
    let things = (0..<48).map { _ in Int.random(in: -4...4, using: &generator) }
    var table = SlotTable()
    var present: Set<Int> = []
    for step in 0..<400 {
      let slot = Int.random(in: things.indices, using: &generator)
      if present.remove(slot) != nil {
        table.remove(slot, of: things) { $0 }
      } else {
        table.insert(slot, of: things) { $0 }
        present.insert(slot)
      }
      let found = things.indices.filter { slot in table.slot(things[slot]) { $0 == slot } == slot }
      #expect(found == present.sorted(), "step \(step)")
    }
  }

  @Test func `one target with many settling times has as many entries`() {
    var table = Table()
    let keys = (0..<100).map { key(1, settling: .seconds($0)) }
    for key in keys { _ = table.insert(key, Watcher("x")) }
    #expect(keys.map { table.slot(of: $0).map { table[$0].settling } } == keys.map(\.settling))
  }

  @Test func `entries are found by number and by key, and numbers increase`() {
    var table = Table()
    let watcher = Watcher("x")
    var ids: [Int: Table.EntryID] = [:]
    for number in 0..<1_000 { ids[number] = table.insert(key(number), watcher) }
    for number in stride(from: 0, to: 1_000, by: 3) {
      if let slot = ids.removeValue(forKey: number).flatMap({ table.slot(of: $0) }) { table.remove(at: slot) }
    }
    let later = (2_000..<2_200).map { number in
      let id = table.insert(key(number, settling: .seconds(1)), watcher)
      ids[number] = id
      return id
    }
    #expect(table.count == ids.count)
    let present = table.places.filter(table.hasEntry).map { table[$0].id }
    #expect(present.sorted() == ids.values.sorted())
    #expect(present.max() == later.last)
    #expect(later == later.sorted())
    for number in 0..<2_300 {
      let key = key(number, settling: number < 2_000 ? .zero : .seconds(1))
      #expect(table.slot(of: key).map { table[$0].id } == ids[number])
      #expect(table.slot(of: key).map { table[$0].key } == (ids[number] == nil ? nil : key))
    }
  }

  @Test func `a removed entry is not found by its number once its slot is reused`() throws {
    var table = Table()
    let first = table.insert(key(1), Watcher("x"))
    let slot = try #require(table.slot(of: first))
    table.remove(at: slot)
    #expect(table.slot(of: first) == nil)
    #expect(table.slot(of: key(1)) == nil)
    #expect(!table.places.contains(where: table.hasEntry))
    let second = table.insert(key(1), Watcher("x"))
    #expect(table.slot(of: second) == slot)
    #expect(table.slot(of: first) == nil)
    #expect(second > first)
    #expect(table.slot(of: 0) == nil)
  }

  @Test func `observers keep their order as others join and leave`() {
    var entry = MonitorEntry<Watcher>(id: 1, key(1, settling: .seconds(2)), Watcher("a"))
    let (b, c) = (Watcher("b"), Watcher("c"))
    func names() -> [String] { entry.observers.map(\.name) }
    func remove(_ watcher: Watcher) -> Bool { entry.remove(watcher) }
    entry.append([b])
    entry.append([c])
    #expect(names() == ["a", "b", "c"])
    #expect(remove(Watcher("b")) == false)
    #expect(remove(b))
    #expect(names() == ["a", "c"])
    #expect(remove(entry.observers[0]))
    #expect(names() == ["c"])
    #expect(remove(b) == false)
    entry.append([b])
    #expect(names() == ["c", "b"])
    #expect(remove(b))
    #expect(entry.isWatched)
    #expect(remove(c))
    #expect(!entry.isWatched)
    #expect(entry.settling == .seconds(2))
  }

  @Test func `equal statuses are shared, except those of hosts`() {
    var pool = StatusPool()
    let one = pool.shared(.number(1))
    #expect(one == .number(1))
    #expect(pool.shared(.number(1)).isIdentical(to: one))
    for number in 2...20 { #expect(pool.shared(.number(number)) == .number(number)) }
    #expect(pool.shared(.number(20)).isIdentical(to: pool.shared(.number(20))))
    #expect(pool.shared(.number(1)) == one)
    var host = ReachabilityStatus.number(1)
    host.addresses = [ReachabilityStatus.ResolvedAddress("10.9.0.1", status: .number(1))]
    var other = ReachabilityStatus.number(1)
    other.addresses = host.addresses
    #expect(pool.shared(host) == host)
    #expect(!pool.shared(host).isIdentical(to: pool.shared(other)))
  }

  @Test func `the entry of a typical target takes at most 64 bytes`() {
    #expect(MemoryLayout<ReachabilityTarget>.stride <= 32)
    #expect(MemoryLayout<MonitorEntry<Watcher>>.stride <= 64)
  }
}
