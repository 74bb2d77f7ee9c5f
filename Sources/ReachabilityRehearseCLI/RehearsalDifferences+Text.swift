// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import InternetProtocol
import ReachabilityKit
import ReachabilityRehearsal

extension RehearsalDifferences {
  /// The differences in lines: the targets, the path, the connections, then what the copy lacks.
  func lines(names: [String], missing: [NetworkRehearsal.MissingPart], _ output: StandardOutput)
    -> String
  {
    let shown = names.map(\.escapedForTerminal) + ["path"]
    let width = (shown.map(\.count).max() ?? 0) + 2
    var lines = zip(shown, targets).map { name, target in name.padded(to: width) + target.line(output) }
    lines.append("path".padded(to: width) + pathLine)
    lines += connectionLines(output)
    lines += caveats.map { output.coloured($0, .yellow) }
    if isOutdated {
      lines.append(output.coloured("the network of this machine changed meanwhile: rehearse again", .yellow))
    }
    let limit = 10
    lines += missing.prefix(limit).map { "the copy lacks \($0.description.escapedForTerminal)" }
    if missing.count > limit { lines.append("the copy lacks \(missing.count - limit) other parts") }
    return lines.map { $0 + "\n" }.joined()
  }

  private var pathLine: String {
    func words(_ path: ReachabilityPath) -> String {
      let names = path.interfaces.map { $0.interface.name.escapedForTerminal }
      return names.isEmpty ? path.reason?.description ?? path.status.rawValue : "over " + names.inWords("and")
    }
    if let pathDoubt { return "\(words(pathBefore))  →  unknown: \(pathDoubt.escapedForTerminal)" }
    return isPathUnchanged
      ? "\(words(pathBefore)), unchanged" : "\(words(pathBefore))  →  \(words(pathAfter))"
  }

  private func connectionLines(_ output: StandardOutput) -> [String] {
    let touched = connections.filter { $0.outcome != .kept }
    guard !touched.isEmpty else {
      return [
        connections.isEmpty
          ? "connections: none" : "connections: \(connections.count), all of them keep their path"
      ]
    }
    func count(_ outcome: Connection.Outcome) -> Int { connections.count { $0.outcome == outcome } }
    let parts = [
      (count(.lost), "that would break"), (count(.moved), "that would take another path"),
      (count(.unknown), "unknown"),
    ].filter { $0.0 > 0 }.map { "\($0.0) \($0.1)" }
    let limit = 50
    var lines = ["connections: \(parts.inWords("and")), of \(connections.count)"]
    let ends = touched.prefix(limit).map { "\($0.remoteText) → \($0.localText)" }
    let owners = touched.prefix(limit).map(\.owner)
    let (first, second) = ((ends.map(\.count).max() ?? 0) + 2, (owners.map(\.count).max() ?? 0) + 2)
    for (place, connection) in touched.prefix(limit).enumerated() {
      let reason = output.coloured(
        (connection.reason ?? connection.outcome.rawValue).escapedForTerminal,
        connection.outcome == .lost ? .red : .yellow)
      lines.append("  " + ends[place].padded(to: first) + owners[place].padded(to: second) + reason)
    }
    if touched.count > limit { lines.append("  and \(touched.count - limit) others") }
    return lines
  }
}

extension RehearsalDifferences.Target {
  fileprivate func line(_ output: StandardOutput) -> String {
    if let doubt {
      return "\(before.line)  →  " + output.coloured("unknown", .yellow) + ": \(doubt.escapedForTerminal)"
    }
    guard !isUnchanged else { return "\(before.line), unchanged" }
    let colour: TerminalColour = after.isReachable ? .green : .red
    return "\(before.line)  →  " + output.coloured(after.line, colour)
  }
}

extension ReachabilityStatus {
  /// The status in words; what comes from outside is escaped.
  fileprivate var line: String { description.escapedForTerminal }
}

extension RehearsalDifferences.Connection {
  fileprivate var remoteText: String { remote.text(withPort: remotePort) }
  fileprivate var localText: String { local.text(withPort: localPort) }
  /// The processes, or the user.
  fileprivate var owner: String {
    let names =
      processes.isEmpty ? "user \(user)" : processes.map(\.escapedForTerminal).joined(separator: ", ")
    return isSession ? names + " (your session)" : names
  }
}

extension ReachabilityAddress {
  fileprivate func text(withPort port: UInt16) -> String {
    bitWidth == 32 ? "\(self):\(port)" : "[\(self)]:\(port)"
  }
}
