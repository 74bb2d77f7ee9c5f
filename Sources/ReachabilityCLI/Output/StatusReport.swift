// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit
import Synchronization

/// The output of statuses: text, or JSON with `--json`.
final class StatusReport: Sendable {
  private let isJSON: Bool
  /// The text of each target: as JSON has it, or as a column with two spaces after it.
  private let names: [String]
  private let output: StandardOutput
  private let screen: HistoryScreen?
  private let time: TimeColumn
  /// The memory of the lines that are put together.
  private let text = Mutex(OutputText())

  /// - Parameter screen: Where lines go that a block follows.
  init(
    _ targets: [NamedTarget], isJSON: Bool, _ output: StandardOutput, on screen: HistoryScreen? = nil
  ) {
    let names = targets.map(\.text.escapedForTerminal)
    let width = names.map(\.count).max() ?? 0
    self.isJSON = isJSON
    self.names = isJSON ? targets.map(\.text) : names.map { $0.padded(to: width + 2) }
    self.output = output
    self.screen = screen
    time = TimeColumn(isShort: output.isTerminal)
  }

  /// Writes one status, of the target at a position of the command line, with the attempt to connect if there was one.
  ///
  /// The line of the default route ends with the family that is missing, if one is.
  func write(
    _ position: Int, _ status: ReachabilityStatus, as event: RecordSchema.Event,
    previous: ReachabilityStatus? = nil, families: [FamilyStatus] = [],
    connection: ReachabilityConnectionReport? = nil,
    withTime: Bool = false
  ) -> WriteResult {
    let name = names[position]
    if isJSON {
      let line = JSONObject(
        name, status, as: event, previous: previous, families: families, connection: connection, at: .now)
      return output.write(line.text + "\n")
    }
    return text.withLock { lines in
      lines.truncate(to: 0)
      add(name, status, previous: previous, withTime: withTime, to: &lines)
      let usable = families.filter(\.status.isReachable)
      if usable.count == 1, let missing = families.first(where: { !$0.status.isReachable })?.family {
        lines.truncate(to: lines.count - 1)
        lines.append(", no \(missing)\n")
      }
      if let connection {
        lines.append(String(repeating: " ", count: name.count))
        add(connection, to: &lines)
      }
      guard let screen else { return output.write(lines) }
      return screen.write(lines.string)
    }
  }

  /// Writes the outcome of an attempt to connect to the target at a position of the command line, with the time.
  func write(_ position: Int, _ connection: ReachabilityConnectionReport) -> WriteResult {
    if isJSON {
      let line = RecordedVerification(connection, to: names[position]).object(names[position], at: .now)
      return output.write(line.text + "\n")
    }
    var line = OutputText()
    time.append(to: &line)
    line.append(names[position])
    add(connection, to: &line)
    return screen?.write(line.string) ?? output.write(line)
  }

  private func add(_ connection: ReachabilityConnectionReport, to line: inout OutputText) {
    let (word, colour): (String, TerminalColour) =
      if connection.isConnected { ("connected    ", .green) } else if connection.isOutOfDescriptors {
        ("unknown      ", .yellow)
      } else { ("not connected", .red) }
    line.append(output.coloured(word, colour))
    line.append("  \(connection.words)\n")
  }

  /// Writes the evidence about the target at a position of the command line, with the time.
  func write(_ position: Int, _ evidence: TrafficEvidence) -> WriteResult {
    guard isJSON else {
      var line = OutputText()
      time.append(to: &line)
      line.append("\(names[position])\(evidence.text(on: output, verdictWidth: 13))\n")
      return screen?.write(line.string) ?? output.write(line)
    }
    return output.write(JSONObject(names[position], evidence, at: .now).text + "\n")
  }

  /// Adds the line of a target, and those of a host's addresses.
  private func add(
    _ name: String, _ status: ReachabilityStatus, previous: ReachabilityStatus?, withTime: Bool,
    to lines: inout OutputText
  ) {
    var (indent, width) = (0, Int.max)
    if withTime {
      time.append(to: &lines)
      indent = time.width
      if output.isTerminal, let columns = TerminalSize.ofOutput?.columns { width = columns - indent }
    }
    add(name, status, previous: previous, width: width, to: &lines)
    guard !status.addresses.isEmpty else { return }
    let names = status.addresses.map(\.description)
    let nameWidth = names.map(\.count).max() ?? 0
    for (name, address) in zip(names, status.addresses) {
      lines.append(String(repeating: " ", count: indent + 2))
      let previous = previous?.addresses.first { $0.address == address.address }
      add(
        name.padded(to: nameWidth + 2), address.status, previous: previous?.status, width: width - 2,
        to: &lines)
    }
  }

  /// Adds a line that fits the width, if leaving out the source suffices for that.
  private func add(
    _ name: String, _ status: ReachabilityStatus, previous: ReachabilityStatus?, width: Int,
    to line: inout OutputText
  ) {
    let (word, colour): (String, TerminalColour) =
      switch status.state {
      case .reachable: ("reachable    ", .green)
      case .notReachable: ("not reachable", .red)
      case .unknown: ("unknown      ", .yellow)
      }
    line.append(name)
    line.append(output.coloured(word, colour))
    line.append("  ")
    let start = line.count
    if let reason = status.reason { line.append(reason.description) }
    if let interface = status.interface {
      if status.reason == nil {
        line.append(escaping: interface.name)
        line.append(" (")
        line.append(escaping: interface.kindText)
        line.append(")")
      } else {
        line.append(", ")
        line.append(escaping: status.stoppingInterface ?? "")
      }
    }
    if let gateway = status.gateway {
      line.append(" via ")
      line.append(gateway)
    }
    let end = line.count
    if let source = status.source {
      line.append(" from ")
      line.append(source)
    }
    let sourceLength = line.count - end
    addUnderlays(of: status, to: &line)
    if width < .max {
      // The source is what a reader misses least, unless nothing else has changed.
      let excess = line.count - start - (width - name.count - word.count - 2)
      if excess > 0, excess <= sourceLength, !status.differsOnlyInSource(from: previous) {
        line.truncate(to: end)
        addUnderlays(of: status, to: &line)
      }
    }
    line.trimEnd()
    line.append("\n")
  }

  private func addUnderlays(of status: ReachabilityStatus, to line: inout OutputText) {
    guard status.reason == nil else { return }
    for underlay in status.underlays {
      line.append(" over ")
      line.append(escaping: underlay.description)
    }
  }
}

extension ReachabilityStatus {
  fileprivate func differsOnlyInSource(from previous: ReachabilityStatus?) -> Bool {
    guard var previous, previous.source != source else { return false }
    previous.source = source
    return previous == self
  }
}
