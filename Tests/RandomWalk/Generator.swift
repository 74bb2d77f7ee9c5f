// SPDX-License-Identifier: Apache-2.0
import LiveSupport

/// A generator of steps, which are the same for the same seed and the same kinds of links.
///
/// All names, prefixes and numbers come from small stocks, so that additions and removals meet and the number of
/// objects stays bounded. Many steps are refused because their objects are missing; that is expected.
struct Generator {
  var random: SeededGenerator
  let links: [Int: String]
  let numbers: [Int]

  init(seed: UInt64, links: [Int: String]) {
    random = SeededGenerator(seed: seed)
    self.links = links
    numbers = links.keys.sorted()
  }

  private typealias Maker = @Sendable (inout Generator) -> Step

  private static let makers: [(Int, Maker)] = [
    (14, { Step($0.route4()) }),
    (14, { Step($0.route6()) }),
    (3, { Step($0.routeFlush()) }),
    (6, { Step($0.address4()) }),
    (6, { Step($0.address6()) }),
    (8, { Step($0.rule()) }),
    (7, { Step($0.nexthop()) }),
    (3, { Step($0.nexthopRoute()) }),
    (4, { Step($0.multipath()) }),
    (6, { Step($0.upOrDown()) }),
    (5, { Step($0.farUpOrDown()) }),
    (2, { Step($0.linkMode()) }),
    (2, { Step($0.noise()) }),
    (2, { Step($0.rename()) }),
    (3, { Step($0.alternativeName()) }),
    (2, { Step($0.move()) }),
    (2, { Step($0.remake()) }),
    (3, { Step($0.master()) }),
    (6, { Step($0.parameter()) }),
    (5, { Step($0.repair()) }),
  ]

  mutating func next() -> Step {
    random.pick(weighted: Self.makers)(&self)
  }

  // MARK: Stocks

  mutating func number() -> Int { random.pick(numbers) }

  /// Returns a link, mostly by its initial name.
  mutating func link() -> String { name(number()) }

  mutating func name(_ number: Int) -> String {
    let name = links[number, default: "v1"]
    return random.percent(8) ? Self.otherName(name) : random.percent(3) ? "alt\(number)" : name
  }

  static func otherName(_ name: String) -> String { "w" + name }

  /// The alternative names of a link: one is longer than primary names can be, another one is a primary name elsewhere.
  static func alternativeNames(_ number: Int) -> [String] {
    ["alt\(number)", "the-cable-of-network-\(number)", "wv\(number % 3 + 1)"]
  }

  mutating func table() -> String {
    random.pick(weighted: [
      (70, ""), (12, " table 100"), (10, " table 200"), (4, " table local"), (4, " table 110"),
    ])
  }

  mutating func metric() -> String {
    random.pick(weighted: [(50, ""), (20, " metric 10"), (20, " metric 20"), (10, " metric 500")])
  }
}
