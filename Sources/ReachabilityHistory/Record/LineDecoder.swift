/// Decodes the lines of a record, and what repeats in them only once.
///
/// The lines differ in their two times, which `record` writes first, and hardly in what follows them. A line that begins
/// in another way, or goes on in a new one, is decoded as a whole.
struct LineDecoder {
  private static let countLimit = 1024
  private static let lengthLimit = 4096

  /// What the lines say, by their text after the times.
  private var contents: [ArraySlice<UInt8>: RecordLine.Content] = [:]

  /// Decodes a line; a fault says why it is not one.
  mutating func line(_ text: ArraySlice<UInt8>) throws(RecordProblem.Kind) -> RecordLine {
    guard let start = LineStart(text), start.rest.count <= Self.lengthLimit else {
      return try RecordLine(text)
    }
    if let content = contents[start.rest] {
      return try RecordLine(time: start.time, uptime: start.uptime, version: 1, content: content)
    }
    let line = try RecordLine(text)
    if contents.count == Self.countLimit { contents = [:] }
    // A copy, as the slice keeps the whole block of the file.
    contents[ArraySlice(Array(start.rest))] = line.content
    return line
  }
}
