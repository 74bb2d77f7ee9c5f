/// A JSON object on one line, whose keys keep the order in which they are added.
///
/// It replaces `JSONEncoder`, because linking Foundation would make the command start half as fast again, for a few
/// flat objects.
package struct JSONObject {
  private var members: [String] = []

  /// Creates an object without members.
  package init() {}

  /// Adds a member.
  package mutating func add(_ key: String, _ value: String?) {
    members.append("\(Self.quoted(key)):\(value.map(Self.quoted) ?? "null")")
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ values: [String]) {
    members.append("\(Self.quoted(key)):[\(values.map(Self.quoted).joined(separator: ","))]")
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ value: Int?) {
    members.append("\(Self.quoted(key)):\(value.map(String.init) ?? "null")")
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ value: Bool?) {
    members.append("\(Self.quoted(key)):\(value.map(String.init) ?? "null")")
  }

  /// Adds a member.
  package mutating func add(_ key: String, _ objects: [JSONObject]) {
    members.append("\(Self.quoted(key)):[\(objects.map(\.text).joined(separator: ","))]")
  }

  /// The object, without a line feed.
  package var text: String { "{\(members.joined(separator: ","))}" }

  /// Quotes text; characters hostile to terminals become `\uXXXX`, which JSON parsers decode.
  private static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.isHostileToTerminals:
        for unit in String(scalar).utf16 {
          let digits = String(unit, radix: 16)
          result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
