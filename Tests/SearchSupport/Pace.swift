// SPDX-License-Identifier: Apache-2.0
/// Lets something happen once in a while, for example a line of progress.
package struct Pace {
  private let interval: Duration
  private var last = ContinuousClock.now

  package init(every interval: Duration) { self.interval = interval }

  /// Whether the interval has passed since the last time; that time is now, if so.
  package mutating func isDue() -> Bool {
    guard last.duration(to: .now) > interval else { return false }
    last = .now
    return true
  }
}

extension Collection where Element: Comparable {
  /// The element that a share of all others precedes, for example half of them; `nil` if there is none.
  package func quantile(_ percent: Int) -> Element? {
    let sorted = sorted()
    return sorted.isEmpty ? nil : sorted[Swift.min(sorted.count * percent / 100, sorted.count - 1)]
  }
}
