// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

/// What a member of a JSON object may be.
package protocol JSONValue {
  /// Appends the value's JSON in UTF-8.
  func appendJSON(to bytes: inout [UInt8])
}

/// A JSON object on one line, whose keys keep the order in which they are added.
///
/// It replaces `JSONEncoder`, because linking Foundation would make the command start half as fast again, for a few
/// flat objects.
package struct JSONObject: JSONValue, Equatable {
  /// The UTF-8 bytes without the closing brace; a string is slower to append to.
  var bytes = [UInt8(ascii: "{")]

  /// Creates an object without members.
  package init() {}

  /// Adds a member.
  package mutating func add(_ key: String, _ value: some JSONValue) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    key.appendJSON(to: &bytes)
    bytes.append(UInt8(ascii: ":"))
    value.appendJSON(to: &bytes)
  }

  /// Adds a number with three decimals.
  package mutating func add(_ key: String, thousandths: Int?) {
    add(key, thousandths.map { JSONText(bytes: $0.decimal(places: 3).utf8) })
  }

  /// Adds a member whose value is JSON already.
  package mutating func add(_ key: String, json value: some Sequence<UInt8>) {
    add(key, JSONText(bytes: value))
  }

  /// Adds the members of another object.
  package mutating func add(_ other: JSONObject) {
    if bytes.count > 1, other.bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes += other.bytes.dropFirst()
  }

  /// The object, without a line feed.
  package var text: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }

  package func appendJSON(to bytes: inout [UInt8]) {
    bytes += self.bytes
    bytes.append(UInt8(ascii: "}"))
  }
}

private struct JSONText<Bytes: Sequence<UInt8>>: JSONValue {
  let bytes: Bytes

  func appendJSON(to bytes: inout [UInt8]) { bytes += self.bytes }
}

extension Int: JSONValue {
  package func appendJSON(to bytes: inout [UInt8]) { bytes += String(self).utf8 }
}

extension Bool: JSONValue {
  package func appendJSON(to bytes: inout [UInt8]) { bytes += (self ? "true" : "false").utf8 }
}

extension Optional: JSONValue where Wrapped: JSONValue {
  package func appendJSON(to bytes: inout [UInt8]) {
    if let self { self.appendJSON(to: &bytes) } else { bytes += "null".utf8 }
  }
}

extension Array: JSONValue where Element: JSONValue {
  package func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "["))
    for (position, element) in enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      element.appendJSON(to: &bytes)
    }
    bytes.append(UInt8(ascii: "]"))
  }
}

extension String: JSONValue {
  /// Characters hostile to terminals become `\uXXXX`, which JSON parsers decode.
  package func appendJSON(to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    if isPrintableASCII, utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes += utf8
      return
    }
    for scalar in unicodeScalars {
      switch scalar {
      case "\"": bytes += "\\\"".utf8
      case "\\": bytes += "\\\\".utf8
      case _ where scalar.isHostileToTerminals:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          bytes += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
        }
      default: bytes += String(scalar).utf8
      }
    }
  }
}
