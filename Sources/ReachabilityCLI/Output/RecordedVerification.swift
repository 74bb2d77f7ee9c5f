// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import ReachabilityKit

/// Whether an endpoint answers, as `reachability-verify --watch --json` or an attempt to connect says, for a record.
struct RecordedVerification: Equatable {
  let state: RecordSchema.VerificationState
  /// The members between the time and the event.
  private let members: JSONObject

  /// The value while no verification runs.
  static let unknown = {
    var members = JSONObject()
    members.addVerification(.unknown)
    return RecordedVerification(.unknown, members)
  }()

  private init(_ state: RecordSchema.VerificationState, _ members: JSONObject) {
    (self.state, self.members) = (state, members)
  }

  /// What an attempt to connect says about an endpoint.
  init(_ connection: ReachabilityConnectionReport, to endpoint: String) {
    let outcomes = connection.attempts.map(\.outcome)
    let kind: RecordSchema.VerificationOutcome =
      if connection.isConnected { .passed } else if outcomes.contains(.timedOut) {
        .timedOut
      } else if outcomes.contains(.refused) { .refused } else { .notConnected }
    var outcome = JSONObject()
    outcome.addOutcome(
      kind, of: endpoint, error: connection.isConnected ? nil : connection.words,
      duration: connection.lookUpDuration + connection.duration)
    var members = JSONObject()
    let state: RecordSchema.VerificationState =
      connection.isConnected ? .verified : connection.isOutOfDescriptors ? .unknown : .failed
    members.addVerification(state, isCurrent: true, endpoints: [outcome])
    self.init(state, members)
  }

  /// Reads a line without its end; `nil` if it is not an object of `reachability-verify`.
  init?(line: [UInt8]) {
    guard let found = JSONScanner.members(of: line), found.count > 3, let last = found.last
    else { return nil }
    let version = Array(String(RecordSchema.version).utf8)
    let events = [RecordSchema.Event.initial, .change].map { Array("\"\($0.rawValue)\"".utf8) }
    // A reader of the record must find none of them twice.
    let keys = found.map { RecordSchema.Key(rawValue: $0.key) }
    guard keys.prefix(3) == [.version, .time, .verification], keys.last == .event,
      found[0].value.elementsEqual(version), events.contains(Array(last.value)),
      found[2].value.first == UInt8(ascii: "\""), Set(found.map(\.key)).count == found.count,
      !keys.contains(.uptimeMicroseconds), !keys.contains(.endpoint)
    else { return nil }
    var members = JSONObject()
    for (key, value) in found[2..<(found.count - 1)] { members.add(key, json: Self.withoutSecrets(value)) }
    let state = String(decoding: found[2].value.dropFirst().dropLast(), as: UTF8.self)
    self.init(RecordSchema.VerificationState(rawValue: state) ?? .unknown, members)
  }

  /// The value with shorter URLs: what a server or a portal names may have a token in its query, or a user.
  private static func withoutSecrets(_ value: ArraySlice<UInt8>) -> [UInt8] {
    let (quote, escape) = (UInt8(ascii: "\""), UInt8(ascii: "\\"))
    var (result, rest) = ([UInt8](), value)
    while let start = rest.firstIndex(of: quote) {
      result += rest[...start]
      rest = rest[(start + 1)...]
      var end = rest.startIndex
      while rest[end] != quote { end += rest[end] == escape ? 2 : 1 }
      result += withoutSecrets(text: rest[..<end]) + [quote]
      rest = rest[(end + 1)...]
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
    object.add(.endpoint, endpoint)
    object.add(members)
    object.add(event: .verification)
    return object
  }
}
