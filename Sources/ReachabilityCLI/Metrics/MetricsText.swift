import CommandLineSupport

/// Metrics in the text format of Prometheus, version 0.0.4, as node_exporter reads it: without times.
struct MetricsText {
  /// A time series with its value.
  struct Sample {
    var labels: KeyValuePairs<String, String>
    var value: String

    init(_ labels: KeyValuePairs<String, String>, _ value: String) {
      self.labels = labels
      self.value = value
    }
  }

  /// A label with its value.
  struct Label: Equatable {
    var name: String
    var value: String
  }

  /// Complete lines.
  private(set) var text = ""
  /// The labels of all time series, each with a comma after it.
  private let common: String

  /// Creates a text without metrics, all of whose time series will have some labels.
  init(_ labels: [Label]) {
    common = labels.map { Self.text($0.name, $0.value) + "," }.joined()
  }

  /// Adds a metric with all its time series; one without any is left out.
  mutating func add(_ metric: Metric, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    text += "# HELP \(metric.name) \(metric.help)\n# TYPE \(metric.name) \(metric.kind.rawValue)\n"
    for sample in samples {
      text += metric.name
      let labels = common + sample.labels.map { Self.text($0.key, $0.value) + "," }.joined()
      if !labels.isEmpty { text += "{\(labels.dropLast())}" }
      text += " \(sample.value)\n"
    }
  }

  private static func text(_ name: String, _ value: String) -> String { "\(name)=\"\(escaped(value))\"" }

  /// The value with the format's own three escapes, and with code points as on a terminal: `\u{1b}`.
  ///
  /// Different values stay different, or the file would have a series twice: a backslash that would begin such a code
  /// point is one itself, `\u{5c}`.
  private static func escaped(_ value: String) -> String {
    var result = ""
    let scalars = value.unicodeScalars
    for index in scalars.indices {
      switch scalars[index] {
      case "\\" where scalars[index...].starts(with: "\\u{".unicodeScalars): result += "\\\\u{5c}"
      case "\\": result += "\\\\"
      case "\"": result += "\\\""
      case "\n": result += "\\n"
      case let scalar:
        let text = String(scalar).escapedForTerminal
        result += text.hasPrefix("\\") ? "\\" + text : text
      }
    }
    return result
  }

  /// A count of millionths as a decimal number, for example `12.040000`.
  static func millionths(_ count: Int) -> String { decimal(count, places: 6) }

  /// A count of thousandths as a decimal number, for example `12.040`.
  static func thousandths(_ count: Int) -> String { decimal(count, places: 3) }

  private static func decimal(_ count: Int, places: Int) -> String {
    let digits = String(count)
    let padded = String(repeating: "0", count: max(places + 1 - digits.count, 0)) + digits
    return padded.dropLast(places) + "." + padded.suffix(places)
  }
}
