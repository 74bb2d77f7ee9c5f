// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// The search for the greatest packet that passes, over invented paths.
@Suite(.deadline) struct PacketSizeSearchTests {
  /// A path that drops packets above a limit, some at random, and answers while it has tokens.
  private struct Path {
    var limit: Int
    /// The share of the packets that get no answer, in percent.
    var loss = 0
    /// The number of answers that are left; the bucket of Linux for an ICMP error has six, and gets one a second.
    var tokens = Int.max
    /// Whether a router reports what is too big.
    var reportsMTU = false
    var generator = SeededGenerator(seed: 1)

    mutating func answers(_ size: Int) -> Bool {
      guard size <= limit, !generator.percent(loss), tokens > 0 else { return false }
      tokens -= 1
      return true
    }
  }

  /// Searches until the end, or for 40 packets.
  private func search(
    _ path: inout Path, full: Int = 1500, least: Int = 576, width: Int = 5
  ) -> PacketSizeSearch {
    var search = PacketSizeSearch(full: full, least: least, accusingGroups: 4)
    while true {
      let group = search.nextGroup(width: width, atMost: 40 - search.sentCount)
      guard !group.isEmpty else { break }
      #expect(group.last?.size == PacketSizeSearch.small)
      for packet in group {
        if path.answers(packet.size) {
          search.recordAnswer(to: packet.number)
        } else if path.reportsMTU, packet.size > path.limit {
          search.recordTooBig(packet.number, mtu: path.limit)
        }
      }
      search.endGroup()
    }
    return search
  }

  @Test(arguments: [576, 1280, 1500, 9000]) func `a path without a limit takes one group`(full: Int) {
    var path = Path(limit: .max)
    let search = search(&path, full: full)
    #expect(search.result == .passed)
    #expect(search.sentCount == 2)
  }

  @Test(arguments: Array(PacketSizeSearch.knownSizes.dropFirst(2)) + [1374, 1281, 1499, 1337, 1406, 576])
  func `the greatest size is found exactly`(limit: Int) {
    var path = Path(limit: limit)
    let search = search(&path)
    #expect(search.result == .lost(from: limit + 1, passing: limit))
    #expect(search.sentCount <= 40)
  }

  @Test func `a size that every path carries is not the limit of a path`() {
    for least in [576, 1280] {
      var path = Path(limit: least - 1)
      #expect(search(&path, least: least).result == .filtered)
    }
  }

  @Test func `a host that answers nothing is silent after three groups`() {
    var path = Path(limit: 0)
    let search = search(&path)
    #expect(search.result == .silent)
    #expect(search.sentCount == 6)
  }

  @Test(arguments: [1500, 1492, 1400, 1350, 1000])
  func `a router that reports its MTU is believed`(limit: Int) {
    var path = Path(limit: limit, reportsMTU: true)
    let search = search(&path)
    #expect(search.result == .passed)
    #expect(search.full == limit && search.passing == limit)
  }

  @Test func `a reporter that does not know its MTU leads to the next known size`() {
    var search = PacketSizeSearch(full: 1500, least: 576, accusingGroups: 4)
    search.recordTooBig(search.nextGroup(width: 5)[0].number, mtu: 0)
    #expect(search.full == 1492)
    search.endGroup()
    #expect(search.nextGroup(width: 5).map(\.size) == [1492, 64])
  }

  @Test func `a limit of the rate of answers is never taken for a limit of sizes`() {
    for tokens in 0...12 {
      var open = Path(limit: .max, tokens: tokens)
      switch search(&open, width: 2).result {
      case .passed, .silent, .undecided: break
      case let other: Issue.record("\(tokens) tokens: \(other)")
      }
      for limit in [576, 1280, 1350, 1400, 1492] {
        var path = Path(limit: limit, tokens: tokens)
        switch search(&path, width: 2).result {
        case .silent, .undecided: break
        case .lost(let lost, let passing): #expect(passing <= limit && lost > limit, "\(tokens) tokens")
        case let other: Issue.record("\(tokens) tokens, limit \(limit): \(other)")
        }
      }
    }
  }

  @Test func `six answers suffice for the usual limits of tunnels`() {
    for limit in [1454, 1412, 1400, 1380, 1280] {
      var path = Path(limit: limit, tokens: 6)
      guard case .lost(_, let passing) = search(&path, width: 1).result else {
        Issue.record("limit \(limit)")
        continue
      }
      #expect(passing <= limit)
    }
  }

  @Test func `an answer that comes late corrects the search`() {
    var search = PacketSizeSearch(full: 1500, least: 576, accusingGroups: 4)
    let first = search.nextGroup(width: 5)
    search.recordAnswer(to: first[1].number)
    search.endGroup()
    #expect(search.nextGroup(width: 5).count == 7)
    search.recordAnswer(to: first[0].number)
    search.endGroup()
    #expect(search.result == .passed)
    #expect(search.nextGroup(width: 5).isEmpty)
  }

  @Test func `the answer to an earlier small packet does not vouch for a group`() {
    var search = PacketSizeSearch(full: 1500, least: 576, accusingGroups: 4)
    let first = search.nextGroup(width: 5)
    search.endGroup()
    for _ in 0..<2 {
      #expect(!search.nextGroup(width: 5).isEmpty)
      search.recordAnswer(to: first[1].number)
      search.endGroup()
    }
    #expect(search.result == .undecided && search.isTelling)
  }

  @Test func `losses of one group do not accuse a path, however many they are`() {
    var search = PacketSizeSearch(full: 1500, least: 576, accusingGroups: 4)
    var groups = 0
    while true {
      let packets = search.nextGroup(width: 5)
      if packets.isEmpty { break }
      for packet in packets where packet.size <= 1400 { search.recordAnswer(to: packet.number) }
      search.endGroup()
      groups += 1
      if groups < 4 { #expect(search.result == .undecided, "\(groups)") }
    }
    #expect(search.result == .lost(from: 1401, passing: 1400))
  }

  @Test func `the full size alone is tried three times`() {
    var path = Path(limit: 1400)
    let narrow = search(&path, width: 0)
    #expect(narrow.isFullLost && narrow.sentCount == 6)
  }

  @Test func `no size that does not pass is ever reported, whatever is lost`() {
    var (found, exact, accused) = (0, 0, 0)
    let rounds = 4_000
    for seed in 0..<UInt64(rounds) {
      var generator = SeededGenerator(seed: seed)
      let limit =
        generator.percent(50) ? generator.pick(PacketSizeSearch.knownSizes) : generator.number(576..<1600)
      let loss = generator.number(0..<31)
      var path = Path(limit: limit, loss: loss, generator: generator)
      let search = search(&path, width: 2 + Int(seed % 4))
      if let passing = search.passing { #expect(passing <= limit, "seed \(seed)") }
      guard case .lost(_, let passing) = search.result else { continue }
      if limit < 1500, loss <= 10 {
        found += 1
        if passing == limit { exact += 1 }
      }
      if limit >= 1500 { accused += 1 }
    }
    #expect(Double(exact) > 0.8 * Double(found), "\(exact) of \(found)")
    #expect(accused == 0)
  }
}
