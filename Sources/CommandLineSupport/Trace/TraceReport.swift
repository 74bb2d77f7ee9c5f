// SPDX-License-Identifier: Apache-2.0

/// What became of a packet in nf_tables: what `reachability-trace` writes, and what `explain --trace` reads.
///
/// Names and comments come from rules, whose authors may be hostile: escape them before they go to a terminal.
package struct TraceReport: Equatable, Sendable {
  /// What became of the probe; a raw value is the word of the JSON object.
  package enum Outcome: String, CaseIterable, Sendable {
    /// A rule or a policy dropped it.
    case dropped
    /// A rule dropped it, and sent an error to this machine's own program.
    case rejected
    /// A rule or a policy dropped an answer to it.
    case answerDropped
    /// A rule gave it to a program or to another part of the kernel, from where it did not come back.
    case handedOver
    /// The other end accepted it.
    case answered
    /// The other end, or a firewall before it, refused it.
    case refused
    /// No rule dropped it, and another error arrived.
    case failed
    /// No rule dropped it, and nothing arrived.
    case unanswered
    /// It did not come to nf_tables, and nothing arrived.
    case notTraced
    /// The kernel refused to send it before nf_tables saw it.
    case notSent

    /// Whether a rule or a policy of this machine is the reason for the lack of an answer.
    package var isOwnFilter: Bool {
      switch self {
      case .dropped, .rejected, .answerDropped, .handedOver: true
      default: false
      }
    }
  }

  /// A rule, or the policy of a chain.
  package struct Rule: Equatable, Sendable {
    /// The words of `nft` for family and hook; the hook is `nil` if it is not known.
    package var family: String
    package var table: String
    package var chain: String
    package var hook: String?
    /// `nil` for a policy.
    package var handle: Int?
    package var comment: String?
    /// The word of `nft`, for example `drop`.
    package var verdict: String
    /// What a rule that rejects sends, for example `tcp reset`.
    package var rejection: String?
    /// Whether iptables-nft made the rule.
    package var isOfIPTables: Bool

    package init(
      family: String, table: String, chain: String, hook: String? = nil, handle: Int? = nil,
      comment: String? = nil, verdict: String, rejection: String? = nil, isOfIPTables: Bool = false
    ) {
      self.family = family
      self.table = table
      self.chain = chain
      self.hook = hook
      self.handle = handle
      self.comment = comment
      self.verdict = verdict
      self.rejection = rejection
      self.isOfIPTables = isOfIPTables
    }
  }

  /// A decision about a packet, as a trace has it.
  package struct Step: Equatable, Sendable {
    package var family: String
    package var table: String
    package var chain: String
    /// `nil` for a policy.
    package var handle: Int?
    package var verdict: String
    /// Whether the packet was an answer.
    package var isOfAnswer: Bool

    package init(
      family: String, table: String, chain: String, handle: Int?, verdict: String, isOfAnswer: Bool
    ) {
      self.family = family
      self.table = table
      self.chain = chain
      self.handle = handle
      self.verdict = verdict
      self.isOfAnswer = isOfAnswer
    }
  }

  /// The remote address, with its zone if it has one.
  package var address: String
  package var port: Int
  /// `tcp` or `udp`.
  package var transport: String
  package var isIPv6: Bool { address.contains(":") }
  package var outcome: Outcome
  /// What decided; `nil` if no rule did.
  package var rule: Rule?
  /// The error that arrived, or that prevented sending, in words.
  package var error: String?
  /// The tables of iptables-legacy, whose rules no trace shows; `nil` if they are not known.
  package var legacyTables: [String]?
  /// Whether some decisions were lost.
  package var hasLosses = false
  package var milliseconds = 0
  /// The decisions about the probe and its answers, in order.
  package var steps: [Step] = []

  package init(_ outcome: Outcome, of address: String, port: Int, transport: String) {
    self.outcome = outcome
    self.address = address
    self.port = port
    self.transport = transport
  }
}

// MARK: - JSON

extension TraceReport {
  /// The line of `--json`.
  package func jsonObject(at time: LineTime) -> JSONObject {
    var object = JSONObject(at: time)
    object.add("address", address)
    object.add("port", port)
    object.add("transport", transport)
    object.add(.outcome, outcome.rawValue)
    object.add("rule", rule?.jsonObject)
    object.add(.error, error)
    object.add("legacyTables", legacyTables)
    object.add("eventsLost", hasLosses)
    object.add("milliseconds", milliseconds)
    object.add("steps", steps.map(\.jsonObject))
    object.add(event: .trace)
    return object
  }

  /// Reads a line of `--json`, without the line feed; `nil` if it is not one, or of another version.
  package init?(line: [UInt8]) {
    guard let members = JSONObjectReader(line), members.number("version") == RecordSchema.version,
      members.text("event") == RecordSchema.Event.trace.rawValue,
      let outcome = members.text("outcome").flatMap(Outcome.init(rawValue:)),
      let address = members.text("address"), let port = members.number("port"),
      let transport = members.text("transport")
    else { return nil }
    self.init(outcome, of: address, port: port, transport: transport)
    if let object = members.object("rule") {
      guard let rule = Rule(object) else { return nil }
      self.rule = rule
    }
    error = members.text("error")
    legacyTables = members.texts("legacyTables")
    hasLosses = members.isTrue("eventsLost")
    milliseconds = members.number("milliseconds") ?? 0
    steps = (members.objects("steps") ?? []).compactMap(Step.init)
  }
}

extension TraceReport.Rule {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("family", family)
    object.add("table", table)
    object.add("chain", chain)
    object.add("hook", hook)
    object.add("handle", handle)
    object.add("comment", comment)
    object.add("verdict", verdict)
    object.add("rejection", rejection)
    object.add("iptables", isOfIPTables)
    return object
  }

  fileprivate init?(_ members: JSONObjectReader) {
    guard let family = members.text("family"), let table = members.text("table"),
      let chain = members.text("chain"), let verdict = members.text("verdict")
    else { return nil }
    self.init(
      family: family, table: table, chain: chain, hook: members.text("hook"),
      handle: members.number("handle"), comment: members.text("comment"), verdict: verdict,
      rejection: members.text("rejection"), isOfIPTables: members.isTrue("iptables"))
  }
}

extension TraceReport.Step {
  fileprivate var jsonObject: JSONObject {
    var object = JSONObject()
    object.add("packet", isOfAnswer ? "answer" : "probe")
    object.add("family", family)
    object.add("table", table)
    object.add("chain", chain)
    object.add("handle", handle)
    object.add("verdict", verdict)
    return object
  }

  fileprivate init?(_ members: JSONObjectReader) {
    guard let family = members.text("family"), let table = members.text("table"),
      let chain = members.text("chain"), let verdict = members.text("verdict"),
      let packet = members.text("packet")
    else { return nil }
    self.init(
      family: family, table: table, chain: chain, handle: members.number("handle"), verdict: verdict,
      isOfAnswer: packet == "answer")
  }
}
