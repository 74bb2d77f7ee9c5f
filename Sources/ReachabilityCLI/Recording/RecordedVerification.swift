import CommandLineSupport
import InternetProtocol

/// What `reachability-verify --watch --json` says about an endpoint, as a record repeats it.
struct RecordedVerification: Equatable {
  /// The members between the time and the event, as JSON without braces.
  private let members: [UInt8]

  /// The value while no verification runs.
  static let unknown = RecordedVerification(
    members: Array(
      #"""
      "verification":"unknown","portal":null,"path":null,"reason":null,"isCurrent":false,"portalAPI":[],"endpoints":[]
      """#.utf8))

  private init(members: [UInt8]) { self.members = members }

  /// Reads a line without its end; `nil` if it is not an object of `reachability-verify`.
  init?(line: [UInt8]) {
    let (beginning, key) = (#"{"version":1,"time":""#.utf8, #","verification":""#.utf8)
    guard line.starts(with: beginning), !line.contains(where: { $0 < 32 }),
      let time = line.dropFirst(beginning.count).firstIndex(of: UInt8(ascii: "\"")),
      line[(time + 1)...].starts(with: key)
    else { return nil }
    let ends = [#","event":"initial"}"#, #","event":"change"}"#].map { Array($0.utf8) }
    guard let end = ends.first(where: { line.suffix($0.count).elementsEqual($0) }) else { return nil }
    members = Self.withoutSecrets(line[(time + 2)..<(line.count - end.count)])
  }

  /// The members with shorter URLs: what a server or a portal names may have a token in its query, or a user.
  private static func withoutSecrets(_ members: ArraySlice<UInt8>) -> [UInt8] {
    let (quote, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    var (result, rest) = ([UInt8](), members)
    while let start = rest.firstIndex(of: quote) {
      result += rest[...start]
      rest = rest[(start + 1)...]
      var end = rest.startIndex
      while end < rest.endIndex, rest[end] != quote { end += rest[end] == escape ? 2 : 1 }
      let text = rest[..<min(end, rest.endIndex)]
      result += withoutSecrets(text: text)
      rest = rest[text.endIndex...]
      if let closing = rest.popFirst() { result.append(closing) }
    }
    return result + rest
  }

  /// A text of JSON, with each URL in it up to its query, and without its user.
  private static func withoutSecrets(text: ArraySlice<UInt8>) -> [UInt8] {
    guard
      text.contains(UInt8(ascii: "?")) || text.contains(UInt8(ascii: "#")) || text.contains(UInt8(ascii: "@"))
    else { return Array(text) }
    let words = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    return Array(
      words.map { Array(String(decoding: $0, as: UTF8.self).withoutSecrets.utf8) }.joined(separator: [32]))
  }

  /// The line of a record about an endpoint.
  func object(_ endpoint: String, at time: LineTime) -> JSONObject {
    var object = JSONObject(at: time)
    object.add("endpoint", endpoint)
    object.add(members: members)
    object.add("event", Record.Event.verification.rawValue)
    return object
  }
}
