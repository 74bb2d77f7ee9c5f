#if os(Linux)
/// SplitMix64: the same numbers for the same seed, so that what was random can be repeated.
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

  /// A number below a limit.
  package mutating func below(_ limit: Int) -> Int {
    Int.random(in: 0..<limit, using: &self)
  }

  /// A number of a range.
  package mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &self) }

  /// True in one case of so many.
  package mutating func chance(_ oneIn: Int) -> Bool { below(oneIn) == 0 }

  /// True in so many cases of a hundred.
  package mutating func percent(_ share: Int) -> Bool {
    below(100) < share
  }

  /// One of some things, each as likely as the others.
  package mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[below(elements.count)]
  }

  /// One of some things, each as likely as its weight says.
  package mutating func pick<Element>(weighted elements: [(Int, Element)]) -> Element {
    var rest = below(elements.reduce(0) { $0 + $1.0 })
    for (weight, element) in elements {
      if rest < weight { return element }
      rest -= weight
    }
    return elements[0].1
  }

  /// The text in so many cases of a hundred, else nothing.
  package mutating func maybe(_ share: Int, _ text: String) -> String {
    percent(share) ? text : ""
  }
}
#endif
