// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import Dispatch
import InternetProtocol

/// The verification of one endpoint by the separate program, which is started again if it ends.
///
/// Each endpoint has a program of its own, so that none waits for the time limit of another, and so that one failure
/// does not end the attempts for the others.
final class VerificationWatch: Sendable {
  /// The time before another start: the first one, and the longest one after failures in a row.
  private static let delays = (first: Duration.seconds(1), longest: Duration.seconds(64))

  private let endpoint: String
  private let program: ChildProgram
  private let output: StandardOutput
  /// Signalled when no other run may start.
  private let isStopped = DispatchSemaphore(value: 0)

  /// Prepares the program.
  ///
  /// - Parameters:
  ///   - endpoint: The endpoint as it was given.
  ///   - interval: The time from one verification to the next, as the program accepts it.
  ///   - path: The path of the program.
  ///   - output: Where problems are reported.
  init(of endpoint: String, every interval: String, by path: String, reportingTo output: StandardOutput) {
    self.endpoint = endpoint.withoutSecrets
    self.output = output
    program = ChildProgram(at: path, ["--watch", "--json", "--every", interval, "--", endpoint])
  }

  /// Runs the program until ``stop()``; returns earlier only if its first run ends without a result.
  ///
  /// - Parameters:
  ///   - hasEnded: Whether an end of the program was requested, which is then no error.
  ///   - receive: The receiver of each value.
  /// - Returns: Whether there was a result.
  func run(unless hasEnded: () -> Bool, _ receive: (RecordedVerification) -> Void) -> Bool {
    var (hasResult, delay) = (false, Self.delays.first)
    var reported: Set<String> = []
    func report(_ problem: String) {
      guard reported.insert(problem).inserted else { return }
      output.report(problem: "the verification of \(endpoint) \(problem)")
    }
    while true {
      var lines = OutputLines()
      let start = ContinuousClock.now
      let status = program.run { part in
        for line in lines.add(part) {
          if let value = line.flatMap(RecordedVerification.init(line:)) {
            receive(value)
            hasResult = true
          } else {
            report("printed a line that is not its result, which is left out")
          }
        }
      }
      guard hasResult else {
        // In trouble, the program has reported an error. A signal to the process group ends it like this one.
        if !hasEnded(), status != ExitStatus.trouble { report("did not run to a result") }
        return false
      }
      if isStopped.wait(timeout: .now()) == .success { return true }
      receive(.unknown)
      if start.duration(to: .now) > Self.delays.longest { (reported, delay) = ([], Self.delays.first) }
      if isStopped.wait(timeout: .now() + delay.interval) == .success { return true }
      report("has ended, and is started again")
      delay = min(delay * 2, Self.delays.longest)
    }
  }

  /// Ends the program, and prevents further runs.
  func stop() {
    isStopped.signal()
    program.stop()
  }
}

/// What `reachability-verify --watch --json` says about an endpoint, as a record repeats it.
struct RecordedVerification: Equatable {
  /// The members between the time and the event.
  private let members: JSONObject

  /// The value while no verification runs.
  static let unknown = {
    var members = JSONObject()
    members.addVerification(.unknown)
    return RecordedVerification(members: members)
  }()

  private init(members: JSONObject) { self.members = members }

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
    self.members = members
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
