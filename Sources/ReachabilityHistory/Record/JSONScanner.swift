/// Reads JSON (RFC 8259) piece by piece, and skips what the caller does not need.
///
/// A decoder of whole values would spend most of its time on members that no report shows. After a method has returned
/// `false` or `nil`, the text is not JSON, or not of the expected type.
struct JSONScanner {
  /// The depth of arrays and objects in each other, beyond which a text is rejected.
  private static let depthLimit = 64

  private let bytes: [UInt8]
  private var position: Int
  private let end: Int
  private var depth = 0

  init(_ bytes: [UInt8], in range: Range<Int>) {
    self.bytes = bytes
    position = range.lowerBound
    end = range.upperBound
  }

  /// Reads an object, and calls the closure for the value of each member; the closure returns `false` for an error.
  mutating func readObject(_ member: (inout JSONScanner, _ key: String) -> Bool) -> Bool {
    guard enter("{") else { return false }
    if take("}") { return leave() }
    repeat {
      guard let key = readString(), take(":"), member(&self, key) else { return false }
    } while take(",")
    return take("}") && leave()
  }

  /// Reads an array, and calls the closure for each element; the closure returns `false` for an error.
  mutating func readArray(_ element: (inout JSONScanner) -> Bool) -> Bool {
    guard enter("[") else { return false }
    if take("]") { return leave() }
    repeat {
      guard element(&self) else { return false }
    } while take(",")
    return take("]") && leave()
  }

  /// Reads a string, or `null` as `nil`.
  mutating func read(_ text: inout String?) -> Bool {
    if peek == UInt8(ascii: "n") {
      text = nil
      return skip()
    }
    text = readString()
    return text != nil
  }

  /// Reads an integer, or `null` as `nil`.
  mutating func read(_ number: inout Int?) -> Bool {
    if peek == UInt8(ascii: "n") {
      number = nil
      return skip()
    }
    let start = position
    guard skipNumber() else { return false }
    var value = 0
    let isNegative = bytes[start] == UInt8(ascii: "-")
    for index in (isNegative ? start + 1 : start)..<position {
      let digit = Int(bytes[index]) - 48
      let (product, isTooLarge) = value.multipliedReportingOverflow(by: 10)
      let (sum, isLarger) = product.addingReportingOverflow(digit)
      guard (0...9).contains(digit), !isTooLarge, !isLarger else { return false }
      value = sum
    }
    number = isNegative ? -value : value
    return true
  }

  /// Reads an array of strings.
  mutating func read(_ texts: inout [String]) -> Bool {
    texts = []
    return readArray { scanner in
      guard let text = scanner.readString() else { return false }
      texts.append(text)
      return true
    }
  }

  /// Whether nothing but white space is left.
  var isAtEnd: Bool {
    bytes[position..<end].allSatisfy(Self.isSpace)
  }

  /// Skips a value of any type.
  mutating func skip() -> Bool {
    switch peek {
    case UInt8(ascii: "\""): return skipString() != nil
    case UInt8(ascii: "{"): return readObject { scanner, _ in scanner.skip() }
    case UInt8(ascii: "["): return readArray { $0.skip() }
    case UInt8(ascii: "t"): return skip("true")
    case UInt8(ascii: "f"): return skip("false")
    case UInt8(ascii: "n"): return skip("null")
    default: return skipNumber()
    }
  }

  // MARK: - Tokens

  private static func isSpace(_ byte: UInt8) -> Bool { byte == 32 || byte == 9 || byte == 13 || byte == 10 }

  /// The next byte that is not white space; zero at the end.
  private var peek: UInt8 {
    mutating get {
      while position < end, Self.isSpace(bytes[position]) { position += 1 }
      return position < end ? bytes[position] : 0
    }
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard peek == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  private mutating func enter(_ character: Unicode.Scalar) -> Bool {
    depth += 1
    return depth <= Self.depthLimit && take(character)
  }

  private mutating func leave() -> Bool {
    depth -= 1
    return true
  }

  private mutating func skip(_ word: StaticString) -> Bool {
    let text = word.description.utf8
    guard bytes[position..<end].starts(with: text) else { return false }
    position += text.count
    return true
  }

  private mutating func skipDigits() -> Bool {
    let start = position
    while position < end, (48...57).contains(bytes[position]) { position += 1 }
    return position > start
  }

  private mutating func skipNumber() -> Bool {
    if peek == UInt8(ascii: "-") { position += 1 }
    let start = position
    guard skipDigits() else { return false }
    // No number but zero begins with it.
    if position - start > 1, bytes[start] == 48 { return false }
    if position < end, bytes[position] == UInt8(ascii: ".") {
      position += 1
      guard skipDigits() else { return false }
    }
    if position < end, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      if position < end, [UInt8(ascii: "+"), UInt8(ascii: "-")].contains(bytes[position]) { position += 1 }
      guard skipDigits() else { return false }
    }
    return true
  }

  /// Skips a string; returns whether it has escapes.
  private mutating func skipString() -> Bool? {
    guard take("\"") else { return nil }
    var hasEscapes = false
    while position < end {
      let byte = bytes[position]
      position += 1
      if byte == UInt8(ascii: "\"") { return hasEscapes }
      if byte < 32 { return nil }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        position += 1
      }
    }
    return nil
  }

  private mutating func readString() -> String? {
    guard peek == UInt8(ascii: "\"") else { return nil }
    let start = position + 1
    guard let hasEscapes = skipString() else { return nil }
    let content = bytes[start..<(position - 1)]
    return hasEscapes ? Self.unescaped(content) : String(decoding: content, as: UTF8.self)
  }

  /// The text of a string with escapes; `nil` if one of them is not JSON's.
  private static func unescaped(_ content: ArraySlice<UInt8>) -> String? {
    var units: [UInt16] = []
    var text = ""
    var rest = content
    // Escapes are UTF-16; a pair of them is one character.
    func flush() {
      text += String(decoding: units, as: UTF16.self)
      units = []
    }
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\") else {
        flush()
        let run = rest.prefix { $0 != UInt8(ascii: "\\") }
        text += String(decoding: [byte] + run, as: UTF8.self)
        rest = rest.dropFirst(run.count)
        continue
      }
      guard let escape = rest.popFirst() else { return nil }
      switch escape {
      case UInt8(ascii: "u"):
        let digits = rest.prefix(4)
        guard digits.count == 4, digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }),
          let unit = UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
        else { return nil }
        units.append(unit)
        rest = rest.dropFirst(4)
      case UInt8(ascii: "b"): units.append(8)
      case UInt8(ascii: "f"): units.append(12)
      case UInt8(ascii: "n"): units.append(10)
      case UInt8(ascii: "r"): units.append(13)
      case UInt8(ascii: "t"): units.append(9)
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): units.append(UInt16(escape))
      default: return nil
      }
    }
    flush()
    return text
  }
}
