// SPDX-License-Identifier: Apache-2.0
import InternetProtocol

@testable import CommandLineSupport
@testable import ReachabilityHistory

extension Check {
  /// The files of 'reachability record', the times of a report, and the lines of 'reachability-trace'.
  static let records = [
    Check("RecordLine") { bytes throws(Finding) in
      // Zeros separate lines, so that the rest of one is that of another.
      var decoder = LineDecoder()
      for line in bytes.split(separator: 0) {
        let whole = try? RecordLine(line)
        let remembered = try? decoder.line(line)
        try expect(remembered == whole, "a remembered rest changes \(String(describing: whole))")
      }
    },
    Check("Record") { bytes throws(Finding) in
      var reader = RecordReader()
      // Zeros separate lines, as seeds have one line.
      var rest = bytes.map { $0 == 0 ? 10 : $0 }[...]
      reader.read("file") { buffer in
        let part = rest.prefix(buffer.count)
        buffer.replaceSubrange(..<part.count, with: part)
        rest = rest.dropFirst(part.count)
        return part.count
      }
      guard let history = try? History(reader) else { return }
      var unreachable = history.lanes.map { _ in 0 }
      for incident in history.incidents { unreachable[incident.lane] += incident.duration }
      for (lane, sum) in zip(history.lanes, unreachable) {
        try expect(
          lane.totals.sum == history.until - history.from, "\(lane.name) has other sums than the period")
        guard lane.kind != .interface else { continue }
        try expect(sum == lane.totals[.unreachable], "the incidents of \(lane.name) have other sums")
      }
    },
    Check("TraceReport") { bytes throws(Finding) in
      guard let report = TraceReport(line: bytes) else { return }
      let line = Array(report.jsonObject(at: .now).text.utf8)
      try expect(TraceReport(line: line) == report, "another report is read back")
      let advice = report.words.advice ?? ""
      try expect(
        !advice.unicodeScalars.contains(where: \.isHostileToTerminals), "advice has a hostile character")
    },
    Check(text: "Timestamp") { text throws(Finding) in
      guard let time = Timestamp(rfc3339: text) ?? Timestamp(local: text) else { return }
      // A zone can lead out of the years that have four digits.
      try expect(
        Timestamp(rfc3339: time.text) == time || abs(time.milliseconds) > 62_000_000_000_000,
        "\(time.milliseconds) is not read back")
    },
  ]
}
