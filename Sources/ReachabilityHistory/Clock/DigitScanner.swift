/// Reads the numbers of a date.
struct DigitScanner {
  private var rest: Substring.UTF8View

  init(_ text: String) { rest = text[...].utf8 }

  var isAtEnd: Bool { rest.isEmpty }

  /// Takes one of these characters.
  mutating func take(_ characters: Unicode.Scalar...) -> Bool {
    guard let first = rest.first, characters.contains(Unicode.Scalar(first)) else { return false }
    rest.removeFirst()
    return true
  }

  /// Takes a sign: 1 or -1.
  var sign: Int? {
    mutating get { take("+") ? 1 : take("-") ? -1 : nil }
  }

  /// Takes a number with exactly so many digits.
  mutating func number(_ width: Int, in range: ClosedRange<Int>) -> Int? {
    let digits = rest.prefix(width)
    guard digits.count == width, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    rest = rest.dropFirst(width)
    let number = digits.reduce(0) { $0 * 10 + Int($1) - 48 }
    return range.contains(number) ? number : nil
  }

  /// Takes the digits of a fraction, and returns its first three.
  var thousandths: Int? {
    mutating get {
      let digits = rest.prefix { (48...57).contains($0) }
      rest = rest.dropFirst(digits.count)
      if digits.isEmpty { return nil }
      let first = digits.prefix(3).map { Int($0) - 48 } + [0, 0]
      return first[0] * 100 + first[1] * 10 + first[2]
    }
  }
}
