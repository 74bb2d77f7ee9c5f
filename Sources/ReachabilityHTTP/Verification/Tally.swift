/// Counts what came of endpoints until it is decided whether enough of them are as expected.
struct Tally {
  private let threshold: ReachabilityVerification.Threshold
  private let count: Int
  private var passed = 0
  private var failed = 0

  init(_ threshold: ReachabilityVerification.Threshold, of count: Int) {
    self.threshold = threshold
    self.count = count
  }

  /// Whether enough are; `nil` as long as those that are missing may decide it.
  var decision: Bool? {
    if isEnough(passed) { return true }
    return isEnough(count - failed) ? nil : false
  }

  mutating func add(isPassed: Bool) {
    if isPassed { passed += 1 } else { failed += 1 }
  }

  private func isEnough(_ number: Int) -> Bool {
    guard number > 0 else { return false }
    switch threshold {
    case .any: return true
    case .all: return number >= count
    // A quotient is rounded as a number in a program is, so that 7 of 100 are a share of 0.07.
    case .share(let share): return number >= count || Double(number) / Double(count) >= share
    }
  }
}
