extension Int {
  /// Thousandths as a number with three decimals.
  var thousandthsText: String {
    let decimals = String(self % 1000)
    return "\(self / 1000).\(String(repeating: "0", count: 3 - decimals.count))\(decimals)"
  }

  /// Milliseconds as a duration in words, for example `2d 3h 0m 12.345s`.
  var durationText: String {
    let seconds = self / 1000
    let units = [(seconds / 86400, "d"), (seconds / 3600 % 24, "h"), (seconds / 60 % 60, "m")]
    let shown = units.drop { $0.0 == 0 }.map { "\($0.0)\($0.1) " }.joined()
    return "\(shown)\((self % 60_000).thousandthsText)s"
  }
}
