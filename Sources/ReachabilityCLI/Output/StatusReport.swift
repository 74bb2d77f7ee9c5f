import Reachability

/// Writes statuses for people or for programs.
struct StatusReport: Sendable {
  enum Event: String {
    case check
    case initial
    case change
  }

  private let invocation: (isJSON: Bool, width: Int)
  private let output: StandardOutput

  init(_ invocation: Invocation, _ output: StandardOutput) {
    let width = invocation.targets.map(\.text.escapedForTerminal.count).max() ?? 0
    self.invocation = (invocation.isJSON, width)
    self.output = output
  }

  /// Writes one status at once; returns what became of it.
  func write(
    _ text: String, _ status: Status, _ event: Event, previous: Status? = nil, withTime: Bool = false
  ) -> WriteResult {
    let line =
      invocation.isJSON
      ? json(text, status, event, previous) : human(text, status, withTime: withTime)
    return output.write(line + "\n")
  }

  private func human(_ text: String, _ status: Status, withTime: Bool) -> String {
    let (word, colour) =
      switch status.state {
      case .reachable: ("reachable", 32)
      case .notReachable: ("not reachable", 31)
      case .unknown: ("unknown", 33)
      }
    var details: [String] = []
    if let reason = status.reason { details.append(reason.description) }
    if let interface = status.interface {
      details.append(interface.description + (details.isEmpty ? "" : ""))
    }
    var line = withTime ? Timestamp.now.text + "  " : ""
    line += text.escapedForTerminal.padded(to: invocation.width) + "  "
    let padded = word.padded(to: "not reachable".count)
    line += output.isColoured ? "\u{1b}[\(colour)m\(padded)\u{1b}[0m" : padded
    line += "  " + details.joined(separator: ", ").escapedForTerminal
    if let gateway = status.gateway { line += " via \(gateway)" }
    if let source = status.source { line += " from \(source)" }
    return String(line.trimmingTrailingSpaces)
  }

  private func json(_ text: String, _ status: Status, _ event: Event, _ previous: Status?) -> String {
    var object = JSONObject()
    object.add("version", 1)
    object.add("time", Timestamp.now.text)
    object.add("target", text)
    object.add("status", status.state.rawValue)
    object.add("reason", status.reason?.rawValue)
    object.add("flags", status.flags.names)
    object.add("flagsValue", Int(status.flags.rawValue))
    object.add("interface", status.interface?.name)
    object.add("kind", status.interface?.kind.rawValue)
    object.add("isTunnel", status.interface?.isTunnel ?? false)
    object.add("gateway", status.gateway?.description)
    object.add("source", status.source?.description)
    object.add("addresses", [String]())
    object.add("event", event.rawValue)
    object.add("previous", previous?.state.rawValue)
    return object.text
  }
}

extension String {
  func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }

  fileprivate var trimmingTrailingSpaces: Substring {
    self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)]
  }
}
