import CommandLineSupport

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
