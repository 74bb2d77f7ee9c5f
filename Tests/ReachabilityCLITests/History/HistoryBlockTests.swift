import DeadlineSupport
import Foundation
import ReachabilityKit
import Testing

// SPDX-License-Identifier: Apache-2.0
@testable import CommandLineSupport
@testable import ReachabilityCLI

/// The bars of the last minutes, without a terminal.
@Suite(.deadline) struct `The history bar` {
  private static let second = 1_000_000

  private func bar(
    _ states: [(second: Double, state: ReachabilityStatus.State)], until now: Double, width: Int = 10
  ) -> String {
    var history = StateHistory()
    for (second, state) in states {
      history.add(state, at: Int(second * 1_000_000), within: 100 * Self.second)
    }
    let letters: [BarSymbol: String] = [.reachable: "R", .partly: "p", .notReachable: "n", .unknown: "?"]
    return history.cells(width, within: 100 * Self.second, at: Int(now * 1_000_000))
      .map { cell in cell.flatMap { letters[$0] } ?? " " }.joined()
  }

  @Test func `what was not observed is empty, and the last piece is the present`() {
    #expect(bar([], until: 1000) == "          ")
    #expect(bar([(1000, .reachable)], until: 1000) == "         R")
    #expect(bar([(1000, .reachable)], until: 1009.9) == "         R")
    #expect(bar([(1000, .reachable)], until: 1010) == "        RR")
    #expect(bar([(1000, .reachable)], until: 5000) == "RRRRRRRRRR")
  }

  @Test func `an outage of a moment is part of its piece`() {
    let states: [(Double, ReachabilityStatus.State)] = [
      (900, .reachable), (955, .notReachable), (955.003, .reachable),
    ]
    #expect(bar(states, until: 999) == "RRRRRpRRRR")
  }

  @Test func `an outage is not reachable in every piece that it fills`() {
    let states: [(Double, ReachabilityStatus.State)] = [
      (900, .reachable), (920, .notReachable), (945, .reachable), (970, .unknown), (985, .notReachable),
    ]
    #expect(bar(states, until: 999) == "RRnnpRR?nn")
  }

  @Test func `pieces that are over never change`() {
    let states: [(Double, ReachabilityStatus.State)] = [
      (900, .reachable), (933, .notReachable), (938, .reachable),
    ]
    let bars = (0..<10).map { bar(states, until: 990 + Double($0)) }
    #expect(Set(bars).count == 1)
  }

  @Test func `a state from before the window counts as long as it lasts`() {
    #expect(bar([(0, .reachable), (10, .notReachable), (950, .reachable)], until: 999) == "nnnnnRRRRR")
  }

  // MARK: The block

  private func block(_ names: [String]) -> HistoryBlock {
    var block = HistoryBlock(names)
    for position in names.indices { block.add(position, .reachable, at: 0) }
    return block
  }

  private func lines(
    _ names: [String], _ columns: Int, _ rows: Int, in characters: CharacterRepertoire = .unicode
  ) -> [String]? {
    lines(block(names), columns, rows, in: characters)
  }

  private func lines(
    _ block: HistoryBlock, _ columns: Int, _ rows: Int, in characters: CharacterRepertoire = .unicode
  ) -> [String]? {
    block.lines(.init(columns: columns, rows: rows), at: 3600 * Self.second, in: characters) { text, _ in
      text
    }
  }

  private func cells(_ count: Int) -> String { String(repeating: "█", count: count) }

  @Test func `a target's name precedes its bar, and the meaning of the symbols follows`() {
    #expect(
      lines(["a.test", "10.9.0.1"], 84, 24) == [
        "a.test    " + cells(73), "10.9.0.1  " + cells(73),
        "          10 min ago     █ reachable  ▄ partly  ? unknown  x not reachable      now",
      ])
  }

  @Test func `a target that does not answer is down, as long as that is known`() throws {
    var block = HistoryBlock(["a", "b"], connects: true)
    for position in 0..<2 { block.add(position, .reachable, at: 0) }
    block.add(0, isConnected: false, at: 0)
    block.add(1, isConnected: true, at: 0)
    let down = try #require(lines(block, 84, 24))
    #expect(down[0].contains("xxx") && !down[1].contains("x"), "\(down)")
    #expect(down[2].contains("█ connected") && down[2].contains("x not connected"))
    block.add(0, isConnected: nil, at: 0)
    #expect(try #require(lines(block, 84, 24))[0].contains("█"))
  }

  @Test func `a narrow terminal has shorter names and no meanings`() {
    #expect(
      lines(["a-long-name.test"], 30, 24) == ["a-long-na…  " + cells(17), "            10 min ago    now"])
    #expect(lines(["a"], 20, 24) == ["a  " + cells(16), "   10 min ago   now"])
  }

  @Test func `a terminal that is too small has no block`() {
    #expect(lines(["a"], 19, 24) == nil)
    #expect(lines(["a", "b"], 80, 5)?.count == 3)
    #expect(lines(["a", "b"], 80, 4) == nil)
    #expect(lines((0..<30).map { "10.9.0.\($0)" }, 80, 4) == nil)
  }

  @Test func `what is not reachable has its meaning at 80 columns, as far as there is room`() {
    let cases = [
      ("10.9.0.1", 80, "█ reachable  ▄ partly  ? unknown  x not reachable"),
      ("93.184.216.34", 80, "▄ partly  ? unknown  x not reachable"),
      ("a-name-of-26-columns.test.", 80, "? unknown  x not reachable"), ("a", 40, "x not reachable"),
    ]
    for (name, columns, meanings) in cases {
      let words = lines([name], columns, 24)?.last?.split(separator: " ").joined(separator: " ")
      let expected = meanings.split(separator: " ").joined(separator: " ")
      #expect(words == "10 min ago \(expected) now", "\(name)")
    }
  }

  private static let many = (0..<40).map { "10.9.0.\($0)" }

  @Test func `a terminal with few rows counts the targets, and shows those that are down or changed last`() {
    var block = block(Self.many)
    for (position, second) in [(30, 3000), (7, 3100), (20, 3200)] {
      block.add(position, .notReachable, at: second * Self.second)
    }
    block.add(39, .unknown, at: 3300 * Self.second)
    for (position, state) in [(20, ReachabilityStatus.State.reachable), (3, .notReachable)] {
      block.add(position, state, at: 3400 * Self.second)
    }
    let lines = lines(block, 80, 12) ?? []
    #expect(
      lines.first == "36 of 40 reachable, 1 unknown; not reachable: 10.9.0.3, 10.9.0.7 and 10.9.0.30")
    #expect(
      lines.dropFirst().dropLast().map { $0.prefix { $0 != " " } } == [
        "10.9.0.0", "10.9.0.1", "10.9.0.3", "10.9.0.7", "10.9.0.20", "10.9.0.30", "10.9.0.39",
      ])
    #expect(lines.last?.hasSuffix("x not reachable   now") == true)
  }

  @Test func `names that do not fit are counted`() {
    var block = block(Self.many)
    for position in 10..<40 { block.add(position, .notReachable, at: 3000 * Self.second) }
    let summaries = [80, 60, 40].map { lines(block, $0, 24)?.first }
    #expect(
      summaries == [
        "10 of 40 reachable; not reachable: 10.9.0.10, 10.9.0.11, 10.9.0.12 and 27 more",
        "10 of 40 reachable; not reachable: 10.9.0.10 and 29 more", "10 of 40 reachable",
      ])
  }

  @Test(arguments: 0...60) func `a block leaves rows for changes, and no line fills a row`(rows: Int) {
    for (count, columns) in [(1, 80), (18, 80), (19, 80), (40, 80), (40, 140), (1000, 30)] {
      let names = (0..<count).map { "10.9.\($0 / 100).\($0 % 100)" }
      guard let lines = lines(names, columns, rows) else {
        #expect(rows < 5)
        continue
      }
      #expect(lines.count <= rows - max(2, min(5, rows / 4)))
      #expect(lines.allSatisfy { $0.count < columns })
    }
  }

  @Test func `a locale without UTF-8 has symbols of ASCII, which differ`() {
    let lines = lines(["a-name-that-is-long.test"], 60, 24, in: .ascii) ?? []
    #expect(lines.first == "a-name-that-is-lo...  " + String(repeating: "#", count: 37))
    #expect(lines.last?.hasSuffix(" now") == true && lines.last?.utf8.allSatisfy { $0 < 0x80 } == true)
    let symbols: [BarSymbol] = [.reachable, .partly, .notReachable, .unknown, .notMonitored]
    let spelled = symbols.map { CharacterRepertoire.ascii.spelling(String($0.character)) }
    #expect(Set(spelled).count == symbols.count && spelled.allSatisfy { $0.utf8.count == 1 })
  }

  @Test func `no two states differ in colour alone, and the dashboard has the same colours`() throws {
    let symbols: [BarSymbol] = [.reachable, .partly, .notReachable, .unknown, .notMonitored]
    #expect(Set(symbols.map(\.character)).count == symbols.count)
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "../../../share/grafana/reachability.json")
    let dashboard = try String(contentsOf: file, encoding: .utf8)
    let named: [(BarSymbol, String)] = [
      (.reachable, "reachable"), (.notReachable, "not reachable"), (.unknown, "unknown"),
    ]
    for (symbol, name) in named {
      let mapping = try #require(dashboard.ranges(of: "\"text\": \"\(name)\",").first)
      let colour = dashboard[mapping.upperBound...].firstMatch(of: #/"color": "(\w+)"/#)?.output.1
      #expect(colour.map(String.init) == symbol.colour.map { "\($0)" }, "\(name)")
    }
  }

  @Test func `each state has its colour and its symbol`() {
    var block = HistoryBlock(["a"])
    let states: [ReachabilityStatus.State] = [.reachable, .notReachable, .unknown]
    for (second, state) in zip([3000, 3301, 3600], states) { block.add(0, state, at: second * Self.second) }
    let lines = block.lines(.init(columns: 20, rows: 24), at: 3600 * Self.second, in: .unicode) {
      text, colour in
      "(\(colour) \(text))"
    }
    #expect(lines?.first == "a  (green ███████)(yellow ▄)(red xxxxxxx)(yellow ?)")
  }
}
