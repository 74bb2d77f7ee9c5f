/// Lines of a file that cannot be read.
package struct RecordProblem: Equatable, Sendable {
  package enum Kind: Hashable, Sendable, Error {
    /// The last line has no end, as after a loss of power.
    case unfinished
    case notJSON
    /// JSON, but no line of a record.
    case foreign
    /// No line before says which machine it is about.
    case withoutStart
    case tooLong
    /// The schema is newer, so something may be missing.
    case laterVersion
    /// A compressed file has no proper end.
    case damaged
    /// A compressed file would expand without measure.
    case expanded
  }

  package var kind: Kind
  package var file: String
  /// The number of the first such line, from 1.
  package var line: Int
  /// The number of such lines in the file.
  package var count: Int

  /// A sentence about the lines, for example `a.jsonl:7: not a line of JSON (and 2 more lines)`.
  package var text: String {
    let problem =
      switch kind {
      case .unfinished: "the last line is unfinished"
      case .notJSON: "not a line of JSON"
      case .foreign: "not a line of a record"
      case .withoutStart: "no line before it names the machine"
      case .tooLong: "longer than 16 MiB"
      case .laterVersion: "written by a later version, so something may be missing"
      case .damaged: "the compressed file is damaged, so lines after this one may be missing"
      case .expanded: "more than 200 times as large as the compressed file, so the rest is left out"
      }
    let more = count == 1 ? "" : " (and \(count - 1) more \(count == 2 ? "line" : "lines"))"
    return "\(file):\(line): \(problem)\(more)"
  }
}
