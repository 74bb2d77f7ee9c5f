import Dispatch

extension Duration {
  /// The accepted forms of a duration, in words.
  package static let acceptedTexts = "a whole number with a unit, for example 500ms, 30s, 2m or 1h"

  /// Reads a whole number with a unit: `500ms`, `30s`, `2m`, `1h`.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    // The limit is a century: more than any use needs, and far from the limits of the clocks.
    guard let number = Int64(digits), number <= 3_155_760_000_000 else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(number)
    case "s" where number <= 3_155_760_000: self = .seconds(number)
    case "m" where number <= 52_596_000: self = .seconds(number * 60)
    case "h" where number <= 876_600: self = .seconds(number * 3600)
    default: return nil
    }
  }

  /// The duration as a Dispatch interval, in whole milliseconds.
  package var interval: DispatchTimeInterval {
    .milliseconds(Int(clamping: Int64(self / .milliseconds(1))))
  }
}
