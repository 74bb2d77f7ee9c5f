import DeadlineSupport
import Foundation
import TestSupport
import Testing

@testable import ReachabilityHistory

@Suite(.deadline) struct `The JSON of a line` {
  /// Whether a text is one object.
  private func isObject(_ text: some Collection<UInt8>) -> Bool {
    let bytes = Array(text)
    var scanner = JSONScanner(bytes, in: bytes.indices)
    return scanner.readObject { scanner, _ in scanner.skip() } && scanner.isAtEnd
  }

  private static let object =
    #" {"a":[1,0,-2.5e+3,true,false,null,{}],"é\u00e9\n":{"b":"\"\\/\ud83d\ude00"},"":[[]] } "#

  @Test func `an object is JSON as a whole, but no beginning of it`() {
    let bytes = Array(Self.object.utf8)
    #expect(isObject(bytes))
    let end = bytes.count - 1
    for count in bytes.indices where count < end { #expect(!isObject(bytes[..<count]), "\(count)") }
  }

  @Test func `a changed byte is JSON exactly where Foundation reads it`() {
    let bytes = Array(Self.object.utf8)
    // Not those of strings: the scanner does not check the contents of a string that it skips.
    let places = bytes.indices.filter { index in
      let quotes = bytes[..<index].indices.filter { bytes[$0] == 34 && ($0 == 0 || bytes[$0 - 1] != 92) }
      return quotes.count % 2 == 0 && bytes[index] != 34
    }
    for place in places {
      for byte in Array(#" {}[],:019-+.eE"ntf\"#.utf8) {
        var changed = bytes
        changed[place] = byte
        let theirs = (try? JSONSerialization.jsonObject(with: Data(changed))) is [String: Any]
        let text = String(decoding: changed, as: UTF8.self)
        // Foundation ignores a comma after the last member, which RFC 8259 does not allow.
        let isStrict = !text.contains(#/,\s*[\]}]/#)
        #expect(isObject(changed) == (theirs && isStrict), "\(text)")
      }
    }
  }

  @Test(arguments: [
    #""""#, #""é€😀""#, #""\ud83d\ude00 \u00e9\b\f\n\r\t\/\\\"""#, #""a\u0000b""#, #""\u20AC\u20ac""#,
  ])
  func `a string is read as Foundation reads it`(json: String) throws {
    let bytes = Array(json.utf8)
    var scanner = JSONScanner(bytes, in: bytes.indices)
    var text: String?
    let isRead = scanner.read(&text)
    #expect(isRead && scanner.isAtEnd)
    let theirs = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)
    #expect(text == theirs as? String)
  }

  @Test(arguments: [#""\x""#, #""\u12g4""#, #""\u12"#, #""a"#, #""\"#, "\"\u{1}\"", "3"])
  func `what is no string is not read as one`(json: String) {
    let bytes = Array(json.utf8)
    var scanner = JSONScanner(bytes, in: bytes.indices)
    var text: String?
    let isRead = scanner.read(&text)
    #expect(!isRead)
  }

  @Test(arguments: [
    ("0", 0), ("-12", -12), ("9223372036854775807", Int.max), ("null", nil), ("9223372036854775808", -1),
    ("1.5", -1), ("1e3", -1), ("01", -1), ("\"1\"", -1), ("", -1),
  ])
  func `only integers that fit are read as integers`(json: String, value: Int?) {
    let bytes = Array(json.utf8)
    var scanner = JSONScanner(bytes, in: bytes.indices)
    var number: Int? = 1
    let isRead = scanner.read(&number)
    #expect((isRead ? number : -1) == value)
  }

  @Test func `deep nesting is rejected, not followed`() {
    func nested(_ depth: Int) -> String {
      #"{"a":"# + String(repeating: "[", count: depth - 1) + String(repeating: "]", count: depth - 1) + "}"
    }
    #expect(isObject(nested(64).utf8))
    #expect(!isObject(nested(65).utf8))
    #expect(!isObject(nested(1_000_000).utf8))
  }
}
