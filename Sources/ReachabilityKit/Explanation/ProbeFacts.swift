/// What a name server did when it was asked for a name.
package enum NameServerReply: Hashable, Sendable {
  /// It answered, with a code of its own (RCODE, RFC 1035 section 4.1.1).
  case answered(code: UInt8, after: Duration)
  /// Nothing came.
  case silent(for: Duration)
  /// The system could not ask, or somebody refused; its words.
  case failed(String)
}

/// How a radio is blocked; the kernel's part for that is `rfkill`.
package enum RadioBlock: Hashable, Sendable {
  /// By a program.
  case soft
  /// By a switch of the machine or by its firmware, which no program can change.
  case hard
}

extension Duration {
  /// A few digits and a unit, such as `0.4 ms`, `12 ms` or `1.2 s`.
  package var inWords: String {
    let microseconds = max(Int64(self / .microseconds(1)), 0)
    func tenths(_ number: Int64) -> String { "\(number / 10).\(number % 10)" }
    if microseconds < 9_950 { return tenths((microseconds + 50) / 100) + " ms" }
    if microseconds < 999_500 { return "\((microseconds + 500) / 1000) ms" }
    return tenths((microseconds + 50_000) / 100_000) + " s"
  }
}
