import CommandLineSupport

extension Invocation {
  /// Where and how `record` writes.
  struct Recording: Equatable {
    /// The options that decide what statuses are about, beside the targets.
    struct Constraints: Equatable {
      /// The interface, as it was given.
      var interface: String?
      var source: String?
      var mark: UInt32?
      /// The network namespace, as it was given.
      var namespace: String?
    }

    var path: String
    /// The size in bytes after which another file begins.
    var limit = 64 << 20
    /// The number of older files to keep.
    var kept = 3
    var heartbeat = Duration.seconds(60)
    /// The time from one verification to the next, as `reachability-verify` reads it.
    var verificationInterval = "1m"
    var constraints = Constraints()
  }

  /// The most endpoints that `record` verifies, since each has a process.
  private static let endpointLimit = 16

  /// Reads the options of `record`.
  mutating func readRecord(_ parsed: ParsedOptions) throws(UsageError) {
    guard let path = try parsed.value("to", { $0.isEmpty || $0.hasSuffix("/") ? nil : $0 }) else {
      throw UsageError("'record' requires --to", hint: "add --to FILE, for example --to history.jsonl")
    }
    var recording = Recording(path: path)
    if let limit = try parsed.value("rotate", Int.init(sizeText:)) { recording.limit = limit }
    if let kept = try parsed.value("keep", { Int(digits: $0).flatMap { (1...9999).contains($0) ? $0 : nil } })
    {
      recording.kept = kept
    }
    if let heartbeat = try parsed.value("heartbeat", Duration.init(heartbeatText:)) {
      recording.heartbeat = heartbeat
    }
    if let interval = try parsed.value(
      "verify-every", { text in Duration(text: text).flatMap { $0 >= .seconds(1) ? text : nil } })
    {
      guard !endpoints.isEmpty else {
        throw UsageError("'record' accepts --verify-every only with --verify", hint: "add --verify URL")
      }
      recording.verificationInterval = interval
    }
    recording.constraints = Recording.Constraints(
      interface: try parsed.value("interface", argument: \.text),
      source: targets.first?.target.source.map { "\($0)" }, mark: targets.first?.target.mark,
      namespace: try parsed.value("namespace", argument: \.text))
    self.recording = recording
    try checkEndpoints()
  }

  private func checkEndpoints() throws(UsageError) {
    guard endpoints.count <= Self.endpointLimit else {
      throw UsageError(
        "'record' accepts --verify at most \(Self.endpointLimit) times, got \(endpoints.count)",
        hint: "run another 'record' with another file")
    }
    if let endpoint = endpoints.first(where: { endpoint in endpoints.count { $0 == endpoint } > 1 }) {
      throw UsageError(
        "the endpoint '\(endpoint.withoutSecrets.escapedForTerminal)' is given twice",
        hint: "remove one of the two options")
    }
  }

  /// The names of the endpoints in a record: without secrets, and with numbers where they differ in nothing else.
  var endpointNames: [String] {
    var counts: [String: Int] = [:]
    return endpoints.map(\.withoutSecrets).map { name in
      counts[name, default: 0] += 1
      return counts[name] == 1 ? name : "\(name) (\(counts[name, default: 0]))"
    }
  }
}

extension Int {
  /// Reads a size of a file: a whole number with a unit, `64K`, `10M` or `1G`.
  fileprivate init?(sizeText text: String) {
    guard let unit = text.last, let shift = ["K": 10, "M": 20, "G": 30][unit],
      let number = Int(digits: text.dropLast()), (1...1_000_000).contains(number), number << shift >= 16 << 10
    else { return nil }
    self = number << shift
  }
}

extension Duration {
  /// Reads the time between two heartbeats, in whole seconds.
  fileprivate init?(heartbeatText text: String) {
    guard let duration = Duration(text: text), duration >= .seconds(1), duration <= .seconds(3600),
      duration.components.attoseconds == 0
    else { return nil }
    self = duration
  }
}
