import CommandLineSupport

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
    members = Array(line[(time + 2)..<(line.count - end.count)])
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
