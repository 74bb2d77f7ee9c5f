// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct TargetIndexTests {
  /// Targets and prefixes that are close together, so that they often match.
  private func randomAddress(using generator: inout SeededGenerator) -> ReachabilityAddress {
    let edges: [ReachabilityAddress] = [
      "0.0.0.1", "240.0.0.1", "192.88.99.1", "2000::", "100::1", "3000::1", "255.255.255.255",
      "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ]
    return switch Int.random(in: 0..<8, using: &generator) {
    case 0: generator.pick(edges)
    case 1...4: .v4(.init(rawValue: 0x0a01_0000 + .random(in: 0..<64, using: &generator)))
    default: .v6(.init(rawValue: 0xfd00 << 112 + .random(in: 0..<64, using: &generator)))
    }
  }

  private func randomTarget(using generator: inout SeededGenerator) -> ReachabilityTarget {
    let destination: ReachabilityTarget.Destination =
      generator.chance(8) ? .defaultRoute : .address(randomAddress(using: &generator))
    let source = generator.chance(4) ? randomAddress(using: &generator) : nil
    return ReachabilityTarget(destination, source: source)
  }

  private func randomPrefix(using generator: inout SeededGenerator) -> IPPrefix? {
    let address = randomAddress(using: &generator)
    let length =
      generator.chance(8)
      ? Int.random(in: 0...8, using: &generator)
      : Int.random(in: address.bitWidth - 8...address.bitWidth, using: &generator)
    return IPPrefix(address, length: length)
  }

  /// The expected result: the targets with a relevant address in the prefix.
  private func naive(_ targets: [UInt64: ReachabilityTarget], _ prefix: IPPrefix) -> Set<UInt64> {
    Set(
      targets.filter { _, target in
        var addresses = target.source.map { [$0] } ?? []
        switch target.destination {
        case .address(let address): addresses.append(address)
        case .defaultRoute: addresses += DefaultRoute.addresses
        case .host: break
        }
        return addresses.contains { prefix.contains($0) }
      }.keys)
  }

  @Test(arguments: 1...8)
  func `the index finds the same targets as a linear search`(seed: UInt64) throws {
    var generator = SeededGenerator(seed: seed)
    var index = TargetIndex()
    var targets: [UInt64: ReachabilityTarget] = [:]
    var found = 0
    for id in 0..<UInt64(1_000) {
      switch Int.random(in: 0..<4, using: &generator) {
      case 0...1:
        let target = randomTarget(using: &generator)
        index.insert(target, id)
        targets[id] = target
      case 2:
        guard let (old, target) = targets.min(by: { $0.key < $1.key }), targets.count > 40 else { continue }
        index.remove(target, old)
        targets[old] = nil
      default:
        let prefix = try #require(randomPrefix(using: &generator))
        var ids: [UInt64] = [.max]
        index.collect(prefix, into: &ids)
        #expect(Set(ids) == naive(targets, prefix).union([.max]), "\(prefix)")
        found += Set(ids).count - 1
      }
    }
    // Otherwise the test would prove little.
    #expect(found > 200)
  }

  @Test func `a removed target is not found, and an equal one of another entry is`() {
    var index = TargetIndex()
    let target = ReachabilityTarget(.address("10.1.0.1"), source: "10.1.0.1")
    index.insert(target, 1)
    index.insert(target, 2)
    index.remove(target, 1)
    index.remove(target, 1)
    index.remove(.address("10.1.0.1"), 3)
    var ids: [UInt64] = []
    index.collect(IPPrefix(literal: "10.1.0.1/32"), into: &ids)
    #expect(Set(ids) == [2])
    index.remove(target, 2)
    ids = []
    index.collect(IPPrefix(literal: "0.0.0.0/0"), into: &ids)
    #expect(ids == [])
  }
}
