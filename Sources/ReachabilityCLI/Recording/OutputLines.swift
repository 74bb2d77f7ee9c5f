/// Divides the output of another program into lines.
struct OutputLines {
  /// The longest line in bytes.
  static let limit = 64 << 10

  /// The beginning of a line whose end has not arrived.
  private var unfinished: [UInt8] = []

  /// Adds a part of the output, and returns the lines that it ends; `nil` stands for one that is too long.
  mutating func add(_ part: ArraySlice<UInt8>) -> [[UInt8]?] {
    var lines: [[UInt8]?] = []
    var rest = part
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      append(rest[..<end])
      lines.append(unfinished.count > Self.limit ? nil : unfinished)
      unfinished = []
      rest = rest[(end + 1)...]
    }
    append(rest)
    return lines
  }

  /// Adds to the unfinished line, but no more than shows that it is too long.
  private mutating func append(_ bytes: ArraySlice<UInt8>) {
    unfinished += bytes.prefix(Self.limit + 1 - unfinished.count)
  }
}
