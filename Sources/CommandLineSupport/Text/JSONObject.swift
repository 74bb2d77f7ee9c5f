/// A JSON object on one line, whose keys keep the order in which they are added.
///
/// It replaces `JSONEncoder`, because linking Foundation would make the command start half as fast again, for a few
/// flat objects.
package struct JSONObject {
  /// The object without its closing brace.
  private var start = "{"

  /// Creates an object without members.
  package init() {}

  /// Adds a member.
  package mutating func add(_ key: String, _ value: String?) {
    begin(key)
    if let value { quote(value) } else { start += "null" }
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ values: [String]) {
    begin(key)
    start += "["
    for (position, value) in values.enumerated() {
      if position > 0 { start += "," }
      quote(value)
    }
    start += "]"
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ value: Int?) {
    begin(key)
    start += value.map(String.init) ?? "null"
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ value: Bool?) {
    begin(key)
    start += value.map { $0 ? "true" : "false" } ?? "null"
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ objects: [JSONObject]) {
    begin(key)
    start += "["
    for (position, object) in objects.enumerated() {
      if position > 0 { start += "," }
      start += object.text
    }
    start += "]"
  }

  /// The object, without a line feed.
  package var text: String { start + "}" }

  private mutating func begin(_ key: String) {
    if start.utf8.count > 1 { start += "," }
    quote(key)
    start += ":"
  }

  /// Quotes text; characters hostile to terminals become `\uXXXX`, which JSON parsers decode.
  private mutating func quote(_ text: String) {
    start += "\""
    defer { start += "\"" }
    if text.isPrintableASCII, text.utf8.allSatisfy({ $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }) {
      start += text
      return
    }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": start += "\\\""
      case "\\": start += "\\\\"
      case _ where scalar.isHostileToTerminals:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          start += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: start.unicodeScalars.append(scalar)
      }
    }
  }
}
