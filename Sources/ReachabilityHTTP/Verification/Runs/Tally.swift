/// Counts outcomes until the threshold is met, or can no longer be met.
struct Tally {
  private let threshold: ReachabilityVerification.Threshold
  private let count: Int
  private var passed = 0
  private var failed = 0

  init(_ threshold: ReachabilityVerification.Threshold, of count: Int) {
    self.threshold = threshold
    self.count = count
  }

  /// Whether enough endpoints passed; `nil` while missing outcomes can still decide.
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
    // The quotient is rounded like a literal, so 7 of 100 is the share 0.07.
    case .share(let share): return number >= count || Double(number) / Double(count) >= share
    }
  }
}
