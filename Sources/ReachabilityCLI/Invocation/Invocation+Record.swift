import CommandLineSupport

extension Invocation {
  /// Where and how `record` writes.
  struct Recording: Equatable {
    var path: String
    /// The size in bytes after which another file begins.
    var limit = 64 << 20
    /// The number of older files to keep.
    var kept = 3
    var heartbeat = Duration.seconds(60)
  }

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
    self.recording = recording
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
