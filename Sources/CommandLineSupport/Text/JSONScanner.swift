// SPDX-License-Identifier: Apache-2.0
/// Checks a JSON object of another program, and finds its members, without decoding their values.
///
/// It follows RFC 8259, but takes only what a line of this package's commands may have: no white space outside of
/// strings, no exponents, little nesting. So a line that passes is JSON for any reader.
package struct JSONScanner {
  /// How deep arrays and objects may be in each other.
  private static let depthLimit = 16

  private var rest: ArraySlice<UInt8>

  /// Finds the members of an object, with the text of their values; `nil` if the line is not one object.
  package static func members(of line: [UInt8]) -> [(key: String, value: ArraySlice<UInt8>)]? {
    guard String(validating: line, as: UTF8.self) != nil else { return nil }
    var scanner = JSONScanner(rest: line[...])
    guard let members = scanner.object(depth: 1), scanner.rest.isEmpty else { return nil }
    return members
  }

  /// The text of a string that has passed; `nil` for another value.
  package static func text(of value: ArraySlice<UInt8>) -> String? {
    var scanner = JSONScanner(rest: value)
    guard let content = scanner.string(), scanner.rest.isEmpty else { return nil }
    var (bytes, rest) = ([UInt8](), content)
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "\\"), let kind = rest.popFirst() else {
        bytes.append(byte)
        continue
      }
      switch kind {
      case UInt8(ascii: "b"): bytes.append(0x08)
      case UInt8(ascii: "f"): bytes.append(0x0c)
      case UInt8(ascii: "n"): bytes.append(0x0a)
      case UInt8(ascii: "r"): bytes.append(0x0d)
      case UInt8(ascii: "t"): bytes.append(0x09)
      case UInt8(ascii: "u"):
        // The scan has checked the digits, and that a first half has its second one.
        var units = [JSONScanner.readCodeUnit(&rest)]
        if (0xd800...0xdbff).contains(units[0]) {
          rest = rest.dropFirst(2)
          units.append(JSONScanner.readCodeUnit(&rest))
        }
        bytes += String(decoding: units, as: UTF16.self).utf8
      default: bytes.append(kind)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The elements of an array that has passed; `nil` for another value.
  package static func elements(of value: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
    var scanner = JSONScanner(rest: value)
    var elements: [ArraySlice<UInt8>] = []
    let isWhole = scanner.list("[", "]") { scanner in
      guard let element = scanner.value(depth: 1) else { return false }
      elements.append(element)
      return true
    }
    return isWhole && scanner.rest.isEmpty ? elements : nil
  }

  private static func readCodeUnit(_ rest: inout ArraySlice<UInt8>) -> UInt16 {
    defer { rest = rest.dropFirst(4) }
    return UInt16(String(decoding: rest.prefix(4), as: UTF8.self), radix: 16) ?? 0xfffd
  }

  private mutating func object(depth: Int) -> [(key: String, value: ArraySlice<UInt8>)]? {
    var members: [(key: String, value: ArraySlice<UInt8>)] = []
    let isWhole = list("{", "}") { scanner in
      // An escape could hide that two keys are the same.
      guard let key = scanner.string(), !key.contains(UInt8(ascii: "\\")), scanner.take(":"),
        let value = scanner.value(depth: depth)
      else { return false }
      members.append((String(decoding: key, as: UTF8.self), value))
      return true
    }
    return isWhole ? members : nil
  }

  /// Takes elements that are separated by commas.
  private mutating func list(
    _ opening: String, _ closing: String, element: (inout JSONScanner) -> Bool
  ) -> Bool {
    guard take(opening) else { return false }
    if take(closing) { return true }
    repeat { guard element(&self) else { return false } } while take(",")
    return take(closing)
  }

  private mutating func value(depth: Int) -> ArraySlice<UInt8>? {
    let start = rest
    let isValue =
      switch rest.first {
      case UInt8(ascii: "{"): depth < Self.depthLimit && object(depth: depth + 1) != nil
      case UInt8(ascii: "["):
        depth < Self.depthLimit && list("[", "]") { $0.value(depth: depth + 1) != nil }
      case UInt8(ascii: "\""): string() != nil
      default: ["null", "true", "false"].contains { take($0) } || number()
      }
    return isValue ? start[..<rest.startIndex] : nil
  }

  /// Takes a string, and returns what is between its quotes.
  private mutating func string() -> ArraySlice<UInt8>? {
    guard take("\"") else { return nil }
    let start = rest
    while let byte = rest.first, byte >= 0x20 {
      if take("\"") { return start[..<(rest.startIndex - 1)] }
      rest.removeFirst()
      if byte == UInt8(ascii: "\\"), !escape() { return nil }
    }
    return nil
  }

  /// Takes what follows the backslash of an escape, with both halves of a character that has two.
  private mutating func escape() -> Bool {
    guard take("u") else { return "\"\\/bfnrt".contains { take(String($0)) } }
    guard let unit = codeUnit(), !(0xdc00...0xdfff).contains(unit) else { return false }
    guard (0xd800...0xdbff).contains(unit) else { return true }
    guard take("\\u"), let other = codeUnit() else { return false }
    return (0xdc00...0xdfff).contains(other)
  }

  private mutating func codeUnit() -> UInt16? {
    let digits = rest.prefix(4)
    rest = rest.dropFirst(digits.count)
    guard digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else { return nil }
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }

  private mutating func number() -> Bool {
    _ = take("-")
    guard take("0") || digits() else { return false }
    return !take(".") || digits()
  }

  private mutating func digits() -> Bool {
    let digits = rest.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    rest = rest.dropFirst(digits.count)
    return !digits.isEmpty
  }

  private mutating func take(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest = rest.dropFirst(word.utf8.count)
    return true
  }
}
