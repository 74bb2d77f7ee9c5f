// SPDX-License-Identifier: Apache-2.0
/// Coded as the object that the command's `explain --json` shows, with durations in whole microseconds.
extension ReachabilityExplanation: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      of: try members.decode(ReachabilityTarget.self, forKey: .target),
      status: try ReachabilityStatus(from: decoder), steps: try members.decode([Step].self, forKey: .steps),
      summary: try members.decode(String.self, forKey: .summary),
      connection: try members.decodeIfPresent(ReachabilityConnectionReport.self, forKey: .connection),
      evidence: try members.decodeIfPresent(TrafficEvidence.self, forKey: .evidence))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws { try encode(to: encoder, of: target) }

  /// Encodes the explanation.
  ///
  /// - Parameter target: The target, or its text as a person wrote it.
  package func encode(to encoder: any Encoder, of target: some Encodable) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(target, forKey: .target)
    try status.encode(to: encoder)
    try members.encode(summary, forKey: .summary)
    try members.encode(steps, forKey: .steps)
    try members.encode(evidence, forKey: .evidence)
    try members.encode(connection, forKey: .connection)
  }
}

extension ReachabilityExplanation.Step: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    let family = try members.decodeIfPresent(String.self, forKey: .family).map { text in
      let families: [ReachabilityAddress.Family] = [.v4, .v6]
      guard let family = families.first(where: { $0.description == text }) else {
        throw DecodingError.dataCorruptedError(
          forKey: .family, in: members, debugDescription: "'\(text)' is no address family")
      }
      return family
    }
    self.init(
      try members.decode(Kind.self, forKey: .kind), family: family,
      try members.decode(Verdict.self, forKey: .verdict),
      fact: try members.decode(String.self, forKey: .fact),
      problem: try members.decodeIfPresent(String.self, forKey: .problem),
      advice: try members.decodeIfPresent(String.self, forKey: .advice),
      duration: try members.decodeIfPresent(Int64.self, forKey: .microseconds).map(Duration.microseconds))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(kind, forKey: .kind)
    try members.encode(family?.description, forKey: .family)
    try members.encode(verdict, forKey: .verdict)
    try members.encode(fact, forKey: .fact)
    try members.encode(problem, forKey: .problem)
    try members.encode(advice, forKey: .advice)
    try members.encode(duration?.microseconds, forKey: .microseconds)
  }
}

extension ReachabilityExplanation.Step.Kind: Codable {}
extension ReachabilityExplanation.Step.Verdict: Codable {}

/// Coded with durations in whole microseconds.
extension ReachabilityConnectionReport: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    self.init(
      target: try members.decode(ReachabilityTarget.self, forKey: .target),
      port: try members.decode(UInt16.self, forKey: .port), status: try ReachabilityStatus(from: decoder),
      attempts: try members.decode([Attempt].self, forKey: .attempts),
      lookUpDuration: .microseconds(try members.decode(Int64.self, forKey: .lookUpMicroseconds)),
      duration: .microseconds(try members.decode(Int64.self, forKey: .microseconds)))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(target, forKey: .target)
    try members.encode(port, forKey: .port)
    try members.encode(isConnected, forKey: .connected)
    try members.encode(attempts, forKey: .attempts)
    try members.encode(lookUpDuration.microseconds, forKey: .lookUpMicroseconds)
    try members.encode(duration.microseconds, forKey: .microseconds)
    try status.encode(to: encoder)
  }
}

extension ReachabilityConnectionReport.Attempt: Codable {
  /// Decodes the value.
  public init(from decoder: any Decoder) throws {
    let members = try decoder.container(keyedBy: JSONKey.self)
    let word = try members.decode(String.self, forKey: .outcome)
    let number = try members.decodeIfPresent(Int32.self, forKey: .errorNumber)
    guard let outcome = Outcome(word, errorNumber: number) else {
      throw DecodingError.dataCorruptedError(
        forKey: .outcome, in: members, debugDescription: "'\(word)' is no outcome that this version knows")
    }
    self.init(
      try members.decode(ReachabilityAddress.self, forKey: .address),
      interface: try members.decodeIfPresent(ReachabilityTarget.Interface.self, forKey: .interface),
      start: try members.decodeIfPresent(Int64.self, forKey: .start).map(Duration.microseconds),
      duration: .microseconds(try members.decodeIfPresent(Int64.self, forKey: .microseconds) ?? 0),
      outcome: outcome,
      reporter: try members.decodeIfPresent(ReachabilityAddress.self, forKey: .reporter),
      isStoppedHere: try members.decodeIfPresent(Bool.self, forKey: .stoppedHere) ?? false,
      greatestPacket: try members.decodeIfPresent(Int.self, forKey: .greatestPacket))
  }

  /// Encodes the value.
  public func encode(to encoder: any Encoder) throws {
    var members = encoder.container(keyedBy: JSONKey.self)
    try members.encode(address, forKey: .address)
    try members.encodeIfPresent(interface, forKey: .interface)
    try members.encode(outcome.word, forKey: .outcome)
    try members.encode(outcome.errorNumber, forKey: .errorNumber)
    try members.encode(reporter, forKey: .reporter)
    try members.encode(isStoppedHere, forKey: .stoppedHere)
    try members.encode(start?.microseconds, forKey: .start)
    try members.encode(start.map { _ in duration.microseconds }, forKey: .microseconds)
    try members.encode(greatestPacket, forKey: .greatestPacket)
  }
}

extension ReachabilityConnectionReport.Attempt.Outcome {
  fileprivate init?(_ word: String, errorNumber: Int32?) {
    let others: [Self] = [.connected, .refused, .timedOut, .abandoned, .notTried]
    guard
      let outcome = errorNumber.map({ .failed(errorNumber: $0) }) ?? others.first(where: { $0.word == word }),
      outcome.word == word
    else { return nil }
    self = outcome
  }

  fileprivate var word: String {
    switch self {
    case .connected: "connected"
    case .refused: "refused"
    case .timedOut: "timedOut"
    case .failed: "failed"
    case .abandoned: "abandoned"
    case .notTried: "notTried"
    }
  }

  fileprivate var errorNumber: Int32? {
    if case .failed(let number) = self { number } else { nil }
  }
}
