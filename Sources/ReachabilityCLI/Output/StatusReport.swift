import CommandLineSupport
import ReachabilityKit

/// The output of statuses: text, or JSON with `--json`.
struct StatusReport: Sendable {
  private let isJSON: Bool
  /// The text of each target: as JSON has it, or as a column with two spaces after it.
  private let names: [String]
  private let output: StandardOutput
  private let screen: HistoryScreen?

  /// - Parameters:
  ///   - targets: The targets of the command line.
  ///   - isJSON: Whether the output is JSON.
  ///   - output: The stream for the lines.
  ///   - screen: Where lines go that a block follows.
  init(
    _ targets: [NamedTarget], isJSON: Bool, _ output: StandardOutput, on screen: HistoryScreen? = nil
  ) {
    let names = targets.map(\.text.escapedForTerminal)
    let width = names.map(\.count).max() ?? 0
    self.isJSON = isJSON
    self.names = isJSON ? targets.map(\.text) : names.map { $0.padded(to: width + 2) }
    self.output = output
    self.screen = screen
  }

  /// Writes one status, of the target at a position of the command line.
  func write(
    _ position: Int, _ status: ReachabilityStatus, as event: RecordSchema.Event,
    previous: ReachabilityStatus? = nil, withTime: Bool = false
  ) -> WriteResult {
    let name = names[position]
    return write(
      isJSON
        ? JSONObject(name, status, as: event, previous: previous, at: .now).text + "\n"
        : lines(name, status, withTime: withTime))
  }

  /// Writes the evidence about the target at a position of the command line, with the time.
  func write(_ position: Int, _ evidence: TrafficEvidence) -> WriteResult {
    guard isJSON else {
      return write(
        "\(Timestamp.now.text)  \(names[position])\(evidence.text(on: output, verdictWidth: 13))\n")
    }
    return write(JSONObject(names[position], evidence, at: .now).text + "\n")
  }

  private func write(_ text: String) -> WriteResult { screen?.write(text) ?? output.write(text) }

  // Appended piece by piece: after a rest, cold code of the standard library would delay the line.
  private func lines(_ name: String, _ status: ReachabilityStatus, withTime: Bool) -> String {
    var lines = ""
    lines.reserveCapacity(128)
    if withTime {
      lines += Timestamp.now.text
      lines += "  "
    }
    let indent = lines.utf8.count + 2
    add(name, status, to: &lines)
    guard !status.addresses.isEmpty else { return lines }
    let names = status.addresses.map(\.description)
    let width = names.map(\.count).max() ?? 0
    for (name, address) in zip(names, status.addresses) {
      lines += String(repeating: " ", count: indent)
      add(name.padded(to: width + 2), address.status, to: &lines)
    }
    return lines
  }

  private func add(_ name: String, _ status: ReachabilityStatus, to line: inout String) {
    let (word, colour): (String, TerminalColour) =
      switch status.state {
      case .reachable: ("reachable    ", .green)
      case .notReachable: ("not reachable", .red)
      case .unknown: ("unknown      ", .yellow)
      }
    line += name
    line += output.coloured(word, colour)
    line += "  "
    if let reason = status.reason { line += reason.description }
    if let interface = status.interface {
      if status.reason == nil {
        line += interface.description.escapedForTerminal
      } else {
        line += ", "
        line += (status.stoppingInterface ?? "").escapedForTerminal
      }
    }
    if let gateway = status.gateway {
      line += " via "
      line += gateway.description
    }
    if let source = status.source {
      line += " from "
      line += source.description
    }
    if status.reason == nil {
      for underlay in status.underlays {
        line += " over "
        line += underlay.description.escapedForTerminal
      }
    }
    while line.utf8.last == UInt8(ascii: " ") { line.unicodeScalars.removeLast() }
    line += "\n"
  }
}
