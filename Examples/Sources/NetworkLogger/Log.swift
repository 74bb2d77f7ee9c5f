import ExampleSupport
import Foundation
import ReachabilityKit
import Synchronization

/// Lines of JSON on standard output, and the latest line about each subject.
final class Log: Sendable {
  /// One line.
  struct Line: Encodable {
    var time = Date.now
    /// `started`, `path`, `target` or `stopped`.
    var event: String
    var target: String?
    /// `reachable`, `notReachable` or `unknown`; for the path `satisfied` and so on.
    var status: String?
    /// The previous status; absent in the first line about a subject.
    var previous: String?
    var reason: String?
    var interface: String?
    /// A description for people.
    var text: String?

    init(event: String) { self.event = event }

    init(_ event: ReachabilityEvent) {
      self.event = "target"
      target = "\(event.target)"
      status = event.status.state.rawValue
      previous = event.previous?.state.rawValue
      reason = event.status.reason?.rawValue
      interface = event.status.interface?.name
      text = "\(event.status)"
    }

    init(_ path: ReachabilityPath) {
      event = "path"
      status = path.status.rawValue
      reason = path.reason?.rawValue
      interface = path.interfaces.first?.interface.name ?? path.unusableInterfaces.first?.interface.name
      text = "\(path)"
    }
  }

  private let latestLines = Mutex<[String: String]>([:])

  /// The latest line about each subject.
  var latest: String {
    latestLines.withLock { $0.sorted { $0.key < $1.key }.map { $0.value + "\n" }.joined() }
  }

  func write(_ line: Line) {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    encoder.dateEncodingStrategy = .custom { time, encoder in
      var container = encoder.singleValueContainer()
      try container.encode(time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
    }
    guard let data = try? encoder.encode(line) else { return }
    let text = String(decoding: data, as: UTF8.self)
    if line.status != nil { latestLines.withLock { $0[line.target ?? "path"] = text } }
    say(text)
  }
}
