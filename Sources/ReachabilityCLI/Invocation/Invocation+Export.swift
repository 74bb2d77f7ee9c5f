import CommandLineSupport

extension Invocation {
  /// Reads the options of `export`.
  mutating func readExport(_ parsed: ParsedOptions) throws(UsageError) {
    guard let file = try parsed.value("textfile", { $0.hasSuffix(".prom") ? $0 : nil }) else {
      throw UsageError(
        "'export' needs --textfile FILE",
        hint: "give a file in node_exporter's folder, for example "
          + "--textfile /var/lib/prometheus/node-exporter/reachability.prom")
    }
    metricsFile = file
    metricsLabels = try parsed.values("label") { MetricsText.Label(text: $0) }
    let names = metricsLabels.map(\.name)
    if let name = names.first(where: { name in names.count { $0 == name } > 1 }) {
      throw UsageError("the label '\(name)' is given twice", hint: "remove one of the two options")
    }
    let interval = try parsed.value("every") { text in
      Duration(text: text).flatMap { $0 >= .seconds(1) ? $0 : nil }
    }
    rewriteInterval = interval ?? rewriteInterval
  }

  /// The targets with different texts, since metrics must not have a target twice.
  var distinctTargets: [NamedTarget] {
    var texts: Set<String> = []
    return targets.filter { texts.insert($0.text).inserted }
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
