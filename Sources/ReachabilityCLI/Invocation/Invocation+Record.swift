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

extension Invocation {
  /// The file of metrics.
  struct Metrics: Equatable {
    var path: String
    /// The labels of all time series.
    var labels: [MetricsText.Label] = []
    /// The longest time between two files.
    var interval = Duration.seconds(15)
  }

  /// Reads the options of the file of metrics, which `export` requires.
  mutating func readMetrics(_ parsed: ParsedOptions) throws(UsageError) {
    guard let path = try parsed.value("textfile", { $0.hasSuffix(".prom") ? $0 : nil }) else {
      if command == .export {
        throw UsageError(
          "'export' requires --textfile",
          hint: "add --textfile FILE, for example "
            + "--textfile /var/lib/prometheus/node-exporter/reachability.prom")
      }
      for name in ["label", "every"] where parsed.has(name) {
        throw UsageError("'record' accepts --\(name) only with --textfile", hint: "add --textfile FILE")
      }
      return
    }
    var metrics = Metrics(path: path)
    metrics.labels = try parsed.values("label") { MetricsText.Label(text: $0) }
    let names = metrics.labels.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw UsageError("the label '\(name)' is given twice", hint: "remove one of the two options")
    }
    if let interval = try parsed.value(
      "every", { Duration(text: $0).flatMap { $0 >= .seconds(1) ? $0 : nil } })
    {
      metrics.interval = interval
    }
    self.metrics = metrics
    // A file with two equal series would be invalid.
    var texts: Set<String> = []
    targets.removeAll { !texts.insert($0.text).inserted }
  }
}

extension MetricsText.Label {
  static let acceptedTexts =
    "NAME=VALUE, for example namespace=blue; a name has letters, digits and underscores, begins with no digit or "
    + "double underscore, and is none of \(taken.map { "'\($0)'" }.inWords("and"))"

  /// The labels of the metrics, and those that a scrape adds.
  private static let taken = [
    "target", "status", "reason", "device", "gateway", "source", "version", "job", "instance",
  ]

  /// Reads `NAME=VALUE`.
  init?(text: String) {
    guard let end = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<end])
    value = String(text[text.index(after: end)...])
    let isWord = name.utf8.allSatisfy {
      switch $0 {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
        true
      default: false
      }
    }
    guard isWord, !value.isEmpty, let first = name.utf8.first, first > UInt8(ascii: "9"),
      !name.hasPrefix("__"), !Self.taken.contains(name)
    else { return nil }
  }
}
