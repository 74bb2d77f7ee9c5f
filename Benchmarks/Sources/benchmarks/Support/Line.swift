// SPDX-License-Identifier: Apache-2.0
/// One line of the table.
struct Line {
  enum Unit: String {
    case microseconds = "µs"
    case milliseconds = "ms"
    case kibibytes = "KiB"
    case bytes = "B"
    case count = ""

    /// The number of nanoseconds, bytes or objects in one unit.
    var size: Double {
      switch self {
      case .microseconds: 1e3
      case .milliseconds: 1e6
      case .kibibytes: 1024
      case .bytes, .count: 1
      }
    }
  }

  enum Goal {
    /// The maximum ratio.
    case ratio(Double)
    /// The maximum value, in the line's unit.
    case value(Double)
  }

  var row = ""
  var what: String
  var unit: Unit
  /// The library's value in the line's unit; `nil` if it cannot be measured.
  var ours: Double?
  var peer: Double?
  /// The ratios of the rounds, in order.
  var ratios: [Double] = []
  var goal: Goal?
  var remark = ""

  var ratio: Double? { ratios.isEmpty ? nil : ratios[ratios.count / 2] }

  var isOver: Bool {
    switch goal {
    case nil: false
    case .ratio(let limit): ratio.map { $0 > limit } ?? false
    case .value(let limit): ours.map { $0 > limit } ?? false
    }
  }

  /// A line of one figure.
  init(_ what: String, _ unit: Unit, _ value: Double?, goal: Double? = nil, remark: String = "") {
    self.what = what
    self.unit = unit
    ours = value
    self.goal = goal.map { .value($0) }
    self.remark = remark
  }

  /// A line that compares two series whose rounds took turns.
  init(
    _ what: String, _ unit: Unit, _ ours: Series, _ peer: Series,
    by figures: KeyPath<Series, [Double]> = \.medians,
    goal: Double? = nil, remark: String = ""
  ) {
    self.what = what
    self.unit = unit
    self.ours = median(ours[keyPath: figures]).map { $0 / unit.size }
    self.peer = median(peer[keyPath: figures]).map { $0 / unit.size }
    // Values below a thousandth are no divisor.
    ratios = zip(ours[keyPath: figures], peer[keyPath: figures]).filter { $1 > 0.001 }.map { $0 / $1 }
      .sorted()
    self.goal = goal.map { .ratio($0) }
    self.remark = remark
  }

  init(_ line: Line, of row: String) {
    self = line
    self.row = row
  }

  /// Returns a line for a measurement that is not possible here.
  static func missing(_ what: String, remark: String = "not available") -> Line {
    Line(what, .count, nil, remark: remark)
  }
}

// MARK: - As text

extension Line {
  static let header = columns("", "", "ours", "peer/raw", "ratio", "spread", "goal", "")

  private static func columns(_ texts: String...) -> String {
    let widths = [-9, -56, 10, 10, 7, 13, 15, -1]
    return zip(texts, widths).map { $1 < 0 ? $0.padded(-$1) : $0.leftPadded($1) }.joined(separator: " ")
  }

  var text: String {
    let spread = ratios.first.map { low in "\(decimal(low))–\(decimal(ratios[ratios.count - 1]))" } ?? ""
    let limit =
      switch goal {
      case nil: ""
      case .ratio(let limit): "≤ \(decimal(limit))×"
      case .value(let limit): "≤ \(short(limit)) \(unit.rawValue)"
      }
    let ending = (isOver ? ["over"] : []) + (remark.isEmpty ? [] : [remark])
    return Self.columns(
      row, what, ours.map { "\(short($0)) \(unit.rawValue)" } ?? "–",
      peer.map { "\(short($0)) \(unit.rawValue)" } ?? "",
      ratio.map { decimal($0) } ?? "", spread, limit, ending.joined(separator: "; "))
  }
}

/// Returns a number with at most two decimals; large ones have none.
private func short(_ value: Double) -> String {
  if value == value.rounded() || abs(value) >= 100 { return String(Int64(value.rounded())) }
  return decimal(value, places: abs(value) >= 10 ? 1 : 2)
}

func decimal(_ value: Double, places: Int = 2) -> String {
  guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
  let scale: Int64 = places == 1 ? 10 : places == 2 ? 100 : 1_000_000
  let rounded = Int64((abs(value) * Double(scale)).rounded())
  let fraction = String(rounded % scale)
  let zeros = String(repeating: "0", count: String(scale).count - 1 - fraction.count)
  return "\(value < 0 && rounded > 0 ? "-" : "")\(rounded / scale).\(zeros)\(fraction)"
}

extension String {
  func padded(_ width: Int) -> String { self + String(repeating: " ", count: max(width - count, 0)) }
  func leftPadded(_ width: Int) -> String { String(repeating: " ", count: max(width - count, 0)) + self }
}

// MARK: - As JSON

/// Returns the complete table.
func json(of lines: [Line], isQuick: Bool, load: [Double]) -> String {
  func text(_ value: String) -> String {
    let escaped = value.unicodeScalars.map { scalar in
      scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : scalar.value < 32 ? " " : String(scalar)
    }
    return "\"\(escaped.joined())\""
  }
  func number(_ value: Double?) -> String { value.map { decimal($0, places: 6) } ?? "null" }
  let objects = lines.map { line in
    let (ratioLimit, valueLimit): (Double?, Double?) =
      switch line.goal {
      case nil: (nil, nil)
      case .ratio(let limit): (limit, nil)
      case .value(let limit): (nil, limit)
      }
    let members = [
      ("row", text(line.row)), ("what", text(line.what)), ("unit", text(line.unit.rawValue)),
      ("ours", number(line.ours)), ("peer", number(line.peer)), ("ratio", number(line.ratio)),
      ("lowestRatio", number(line.ratios.first)), ("highestRatio", number(line.ratios.last)),
      ("ratioGoal", number(ratioLimit)), ("valueGoal", number(valueLimit)), ("isOver", "\(line.isOver)"),
      ("remark", text(line.remark)),
    ]
    return "    {" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}"
  }
  let loads = load.map { decimal($0) }.joined(separator: ", ")
  return
    "{\n  \"isQuick\": \(isQuick),\n  \"load\": [\(loads)],\n  \"lines\": [\n\(objects.joined(separator: ",\n"))\n  ]\n}\n"
}
