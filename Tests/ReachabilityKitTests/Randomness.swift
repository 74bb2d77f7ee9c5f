/// SplitMix64: the same numbers in each run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var word = state
    word = (word ^ word >> 30) &* 0xbf58_476d_1ce4_e5b9
    word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
    return word ^ word >> 31
  }

  /// Whether something happens that happens once in so many times.
  mutating func oneIn(_ count: Int) -> Bool {
    Int.random(in: 0..<count, using: &self) == 0
  }

  /// One of some things, of which there must be one.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}
