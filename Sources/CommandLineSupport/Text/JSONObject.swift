import InternetProtocol

/// The name of a member of a JSON object.
package struct JSONKey: CodingKey, Hashable, ExpressibleByStringInterpolation {
  package let stringValue: String
  package var intValue: Int? { nil }

  package init(stringValue: String) { self.stringValue = stringValue }

  package init(stringLiteral: String) { stringValue = stringLiteral }

  package init?(intValue: Int) { nil }
}

/// A JSON object on one line, whose keys keep the order in which they are added.
///
/// It replaces `JSONEncoder`, because linking Foundation would make the command start half as fast again, for a few
/// flat objects.
package struct JSONObject: Equatable {
  /// The UTF-8 bytes without the closing brace; a string is slower to append to.
  private var bytes = [UInt8(ascii: "{")]

  /// Creates an object without members.
  package init() {}

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ value: String?) {
    begin(key)
    if let value { quote(value) } else { bytes += "null".utf8 }
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ values: [String]) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (position, value) in values.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      quote(value)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ value: Int?) {
    begin(key)
    bytes += (value.map(String.init) ?? "null").utf8
  }

  /// Adds a number with three decimals.
  package mutating func add(_ key: JSONKey, thousandths: Int?) {
    begin(key)
    guard let thousandths else { return bytes += "null".utf8 }
    let decimals = String(thousandths.magnitude % 1000)
    bytes += "\(thousandths < 0 ? "-" : "")\(thousandths.magnitude / 1000).".utf8
    bytes += (String(repeating: "0", count: 3 - decimals.count) + decimals).utf8
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ values: [Int]) {
    begin(key)
    append(values)
  }

  /// Adds a member: an array of arrays.
  package mutating func add(_ key: JSONKey, _ rows: [[Int]]) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (position, values) in rows.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      append(values)
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ value: Bool?) {
    begin(key)
    bytes += (value.map { $0 ? "true" : "false" } ?? "null").utf8
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ objects: [JSONObject]) {
    begin(key)
    bytes.append(UInt8(ascii: "["))
    for (position, object) in objects.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += object.bytes
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Adds a member.
  package mutating func add(_ key: JSONKey, _ object: JSONObject?) {
    begin(key)
    bytes += object.map { $0.bytes + [UInt8(ascii: "}")] } ?? Array("null".utf8)
  }

  /// Adds a member whose value is JSON already.
  package mutating func add(_ key: JSONKey, json value: some Collection<UInt8>) {
    begin(key)
    bytes += value
  }

  /// Adds the members of another object.
  package mutating func add(_ other: JSONObject) {
    if bytes.count > 1, other.bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    bytes += other.bytes.dropFirst()
  }

  /// The object, without a line feed.
  package var text: String { String(decoding: bytes + [UInt8(ascii: "}")], as: UTF8.self) }

  private mutating func begin(_ key: JSONKey) {
    if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
    quote(key.stringValue)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func append(_ values: [Int]) {
    bytes.append(UInt8(ascii: "["))
    for (position, value) in values.enumerated() {
      if position > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes += String(value).utf8
    }
    bytes.append(UInt8(ascii: "]"))
  }

  /// Quotes text; characters hostile to terminals become `\uXXXX`, which JSON parsers decode.
  private mutating func quote(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    if text.isPrintableASCII, text.utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      bytes += text.utf8
      return
    }
    for scalar in text.unicodeScalars {
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
