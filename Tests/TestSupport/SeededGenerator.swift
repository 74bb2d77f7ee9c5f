// SPDX-License-Identifier: Apache-2.0
/// A SplitMix64 generator: the same seed gives the same numbers, so that random runs can be repeated.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) {
    state = seed
  }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  /// Returns a number below a limit.
  package mutating func below(_ limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &self)
  }

  /// Returns a number in a range.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// Returns true once in the given number of calls, on average.
  package mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

  /// Returns true in the given percentage of calls.
  package mutating func percent(_ share: Int) -> Bool {
    below(100) < share
  }

  /// Returns an element, each with the same probability.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// Returns an element, each with a probability by its weight.
  package mutating func pick<Element>(weighted elements: [(Int, Element)]) -> Element {
    var rest = below(elements.reduce(0) { $0 + $1.0 })
    for (weight, element) in elements {
      if rest < weight { return element }
      rest -= weight
    }
    return elements[0].1
  }

  /// Returns the text in the given percentage of calls, otherwise an empty one.
  package mutating func maybe(_ share: Int, _ text: String) -> String {
    percent(share) ? text : ""
  }
}
