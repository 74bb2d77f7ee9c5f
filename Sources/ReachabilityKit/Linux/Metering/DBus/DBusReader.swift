#if os(Linux)
/// A reader of values, each aligned for its type, that never reads beyond the end.
struct DBusReader {
  private let bytes: ArraySlice<UInt8>
  private let isBigEndian: Bool
  /// The number of bytes read.
  private(set) var position = 0

  init(_ bytes: ArraySlice<UInt8>, isBigEndian: Bool) {
    self.bytes = bytes
    self.isBigEndian = isBigEndian
  }

  mutating func skip(_ count: Int) throws(DBusError) {
    _ = try take(count)
  }

  mutating func align(to size: Int) throws(DBusError) {
    try skip((size - position % size) % size)
  }

  mutating func byte() throws(DBusError) -> UInt8 {
    try take(1).first ?? 0
  }

  mutating func uint32() throws(DBusError) -> UInt32 {
    try align(to: 4)
    let four = try take(4)
    let inOrder = isBigEndian ? Array(four) : four.reversed()
    return inOrder.reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// A string or an object path.
  mutating func string() throws(DBusError) -> String {
    try text(Int(try uint32()))
  }

  mutating func signature() throws(DBusError) -> String {
    try text(Int(try byte()))
  }

  /// Skips a value of a basic type; headers contain no others.
  mutating func skipValue(of type: String) throws(DBusError) {
    switch type {
    case "y": try skip(1)
    case "n", "q": try skipNumber(2)
    case "b", "i", "u", "h": try skipNumber(4)
    case "x", "t", "d": try skipNumber(8)
    case "s", "o": _ = try string()
    case "g": _ = try signature()
    default: throw DBusError(.malformed, "type")
    }
  }

  private mutating func skipNumber(_ size: Int) throws(DBusError) {
    try align(to: size)
    try skip(size)
  }

  /// A text of some length, and its terminating zero.
  private mutating func text(_ length: Int) throws(DBusError) -> String {
    let text = try take(length)
    guard try byte() == 0, !text.contains(0), let text = String(validating: text, as: UTF8.self) else {
      throw DBusError(.malformed, "text")
    }
    return text
  }

  private mutating func take(_ count: Int) throws(DBusError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw DBusError(.malformed, "too short") }
    let start = bytes.startIndex + position
    position += count
    return bytes[start..<start + count]
  }
}
#endif
