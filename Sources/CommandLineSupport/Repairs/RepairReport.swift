// SPDX-License-Identifier: Apache-2.0

/// The commands that were tried in a copy of the network: what `reachability-rehearse --repair` writes, and what
/// `explain --prove` reads.
package struct RepairReport: Equatable, Sendable {
  /// What came of a command; a raw value is the word of the JSON object.
  package enum Outcome: String, CaseIterable, Sendable {
    /// Packets leave for the subject afterwards.
    case helps
    /// They do not.
    case doesNotHelp
    /// The copy cannot tell.
    case unknown
  }

  /// A command that was tried.
  package struct Repair: Equatable, Sendable {
    package var command: String
    package var isAdvice: Bool
    package var outcome: Outcome
    /// What becomes reachable or not.
    package var subject: String
    /// The status of the subject afterwards in words, or why it is not known.
    package var result: String
    /// What else must be true; `nil` if nothing.
    package var condition: String?
    /// What the command does besides.
    package var warnings: [String]
    package var affectedConnections: Int

    package init(
      command: String, isAdvice: Bool, outcome: Outcome, subject: String, result: String, condition: String?,
      warnings: [String], affectedConnections: Int
    ) {
      self.command = command
      self.isAdvice = isAdvice
      self.outcome = outcome
      self.subject = subject
      self.result = result
      self.condition = condition
      self.warnings = warnings
      self.affectedConnections = affectedConnections
    }
  }

  package var target: String
  package var repairs: [Repair]

  package init(of target: String, _ repairs: [Repair]) {
    (self.target, self.repairs) = (target, repairs)
  }
}

// MARK: - JSON

extension RepairReport {
  /// The line of `--json`.
  package func jsonObject(at time: LineTime) -> JSONObject {
    var object = JSONObject(at: time)
    object.add("target", target)
    object.add("repairs", repairs.map(\.jsonObject))
    object.add(event: .repairs)
    return object
  }

  /// Reads a line of `--json`, without the line feed; `nil` if it is not one, or of another version.
  package init?(line: [UInt8]) {
    guard let members = JSONObjectReader(line), members.number("version") == RecordSchema.version,
      members.text("event") == RecordSchema.Event.repairs.rawValue,
      let target = members.text("target"), let repairs = members.objects("repairs")
    else { return nil }
    self.init(of: target, repairs.compactMap(Repair.init))
  }
}

extension RepairReport.Repair {
  package var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("command", command)
    object.add("isAdvice", isAdvice)
    object.add(.outcome, outcome.rawValue)
    object.add("subject", subject)
    object.add("result", result)
    object.add("condition", condition)
    object.add("warnings", warnings)
    object.add("affectedConnections", affectedConnections)
    return object
  }

  fileprivate init?(_ members: JSONObjectReader) {
    guard let command = members.text("command"),
      let outcome = members.text("outcome").flatMap(RepairReport.Outcome.init(rawValue:)),
      let subject = members.text("subject"), let result = members.text("result")
    else { return nil }
    self.init(
      command: command, isAdvice: members.isTrue("isAdvice"), outcome: outcome, subject: subject,
      result: result,
      condition: members.text("condition"), warnings: members.texts("warnings") ?? [],
      affectedConnections: members.number("affectedConnections") ?? 0)
  }
}

// MARK: - Text

extension RepairReport {
  /// The commands that help, then the others, with what each leads to; escaped for a terminal.
  package var lines: [String] {
    func pair(_ title: String, _ repair: Repair) -> [String] {
      ["\(title): \(repair.command)", "  \(repair.sentence)"].map(\.escapedForTerminal)
    }
    let helping = repairs.filter { $0.outcome == .helps }
    let others = repairs.filter { $0.outcome != .helps }
    var lines = helping.flatMap { pair("repair", $0) }
    if helping.isEmpty {
      lines.append(
        repairs.isEmpty
          ? "no repair is known for this" : "no repair: none of the commands that were tried helps")
    }
    return lines + others.flatMap { pair($0.outcome == .unknown ? "not known" : "no help", $0) }
  }
}

extension RepairReport.Repair {
  /// What the command leads to, in a sentence without a capital letter and a full stop.
  package var sentence: String {
    var text: String
    switch outcome {
    case .helps:
      text = "in a copy of this network, \(subject) is then \(result)"
      if let condition { text += ", if \(condition)" }
      for warning in warnings { text += "; \(warning)" }
      if affectedConnections > 0 {
        text += "; \(affectedConnections) open connection\(affectedConnections == 1 ? "" : "s") may break"
      }
    case .doesNotHelp: text = "in a copy of this network, \(subject) is then still \(result)"
    case .unknown: text = result
    }
    return text
  }
}
