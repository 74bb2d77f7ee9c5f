import CommandLineSupport
import ReachabilityKit

/// The output of statuses: text, or JSON with `--json`.
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

  /// Writes one status.
  func write(
    _ text: String, _ status: ReachabilityStatus, _ event: Event, previous: ReachabilityStatus? = nil,
    withTime: Bool = false
  ) -> WriteResult {
    let line =
      invocation.isJSON
      ? json(text, status, event, previous) : lines(text, status, withTime: withTime)
    return output.write(line + "\n")
  }

  private func lines(_ text: String, _ status: ReachabilityStatus, withTime: Bool) -> String {
    let time = withTime ? Timestamp.now.text + "  " : ""
    let name = text.escapedForTerminal.padded(to: invocation.width)
    var lines = [time + line(name, status)]
    let names = status.addresses.map(\.description)
    let width = names.map(\.count).max() ?? 0
    let indent = String(repeating: " ", count: time.count + 2)
    for (name, address) in zip(names, status.addresses) {
      lines.append(indent + line(name.padded(to: width), address.status))
    }
    return lines.joined(separator: "\n")
  }

  private func line(_ name: String, _ status: ReachabilityStatus) -> String {
    let (word, colour): (String, TerminalColour) =
      switch status.state {
      case .reachable: ("reachable", .green)
      case .notReachable: ("not reachable", .red)
      case .unknown: ("unknown", .yellow)
      }
    var line = name + "  " + output.coloured(word.padded(to: "not reachable".count), colour)
    let details = [status.reason?.description, status.interface?.description].compactMap(\.self)
    line += "  " + details.joined(separator: ", ").escapedForTerminal
    if let gateway = status.gateway { line += " via \(gateway)" }
    if let source = status.source { line += " from \(source)" }
    return String(line.trimmingTrailingSpaces)
  }

  private func json(
    _ text: String, _ status: ReachabilityStatus, _ event: Event, _ previous: ReachabilityStatus?
  ) -> String {
    var object = JSONObject()
    object.add("version", 1)
    object.add("time", Timestamp.now.text)
    object.add("target", text)
    object.add(status)
    object.add(
      "addresses",
      status.addresses.map { address in
        var object = JSONObject()
        object.add("address", address.description)
        object.add(address.status)
        return object
      })
    object.add("event", event.rawValue)
    object.add("previous", previous?.state.rawValue)
    return object.text
  }
}

extension JSONObject {
  /// Adds the members of a status, except for the addresses of a host.
  fileprivate mutating func add(_ status: ReachabilityStatus) {
    add("status", status.state.rawValue)
    add("reason", status.reason?.rawValue)
    add("flags", status.flags.names)
    add("flagsValue", Int(status.flags.rawValue))
    add("interface", status.interface?.name)
    add("kind", status.interface?.kind.rawValue)
    add("isTunnel", status.interface?.isTunnel ?? false)
    add("linkType", status.interface?.linkType)
    add("gateway", status.gateway?.description)
    add("source", status.source?.description)
  }
}

extension String {
  fileprivate var trimmingTrailingSpaces: Substring {
    self[..<(lastIndex { $0 != " " }.map { index(after: $0) } ?? startIndex)]
  }
}
