extension Duration {
  /// A few digits and a unit, for example `0.4 ms`, `12 ms` or `1.2 s`.
  package var inWords: String {
    let microseconds = max(Int64(self / .microseconds(1)), 0)
    func tenths(_ number: Int64) -> String { "\(number / 10).\(number % 10)" }
    if microseconds < 9_950 { return tenths((microseconds + 50) / 100) + " ms" }
    if microseconds < 999_500 { return "\((microseconds + 500) / 1000) ms" }
    return tenths((microseconds + 50_000) / 100_000) + " s"
  }
}
