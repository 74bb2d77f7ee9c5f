#if os(Linux)
/// A message from a bus: the header fields that a caller needs, and the body.
struct DBusMessage: Hashable, Sendable {
  /// The type of a message.
  struct Kind: RawRepresentable, Hashable, Sendable {
    let rawValue: UInt8

    /// An answer, `METHOD_RETURN`.
    static var answer: Kind { Kind(rawValue: 2) }
    /// A refusal, `ERROR`.
    static var error: Kind { Kind(rawValue: 3) }
    /// An announcement, `SIGNAL`.
    static var signal: Kind { Kind(rawValue: 4) }
  }

  /// The length of the part that determines the length of the message.
  static var prefixLength: Int { 16 }
  /// The longest accepted message, far longer than any expected answer.
  static var lengthLimit: Int { 65536 }

  let kind: Kind
  /// The name of the announcement.
  private(set) var member: String?
  private(set) var replySerial: UInt32?
  private(set) var errorName: String?
  private(set) var sender: String?
  private(set) var signature = ""
  private let body: ArraySlice<UInt8>
  private let isBigEndian: Bool

  /// Returns the length of a message from its first bytes.
  static func length(ofPrefix bytes: some Collection<UInt8>) throws(DBusError) -> Int {
    guard bytes.count >= prefixLength else { throw DBusError(.malformed, "no header") }
    var reader = DBusReader(Array(bytes.prefix(prefixLength))[...], isBigEndian: try order(of: bytes.first))
    try reader.skip(4)
    // Numbers below the limit can't overflow.
    let bodyLength = try length(reader.uint32())
    try reader.skip(4)
    let fieldsLength = try length(reader.uint32())
    return try length(UInt32(prefixLength + (fieldsLength + 7) / 8 * 8 + bodyLength))
  }

  private static func length(_ value: UInt32) throws(DBusError) -> Int {
    guard value <= lengthLimit else { throw DBusError(.malformed, "too long") }
    return Int(value)
  }

  private static func order(of first: UInt8?) throws(DBusError) -> Bool {
    switch first {
    case UInt8(ascii: "l"): return false
    case UInt8(ascii: "B"): return true
    default: throw DBusError(.malformed, "byte order")
    }
  }

  /// Reads one whole message.
  init(_ bytes: [UInt8]) throws(DBusError) {
    guard try Self.length(ofPrefix: bytes) == bytes.count else { throw DBusError(.malformed, "length") }
    isBigEndian = try Self.order(of: bytes.first)
    kind = Kind(rawValue: bytes[1])
    guard bytes[3] == 1 else { throw DBusError(.malformed, "version") }
    var header = DBusReader(bytes[...], isBigEndian: isBigEndian)
    try header.skip(4)
    let bodyLength = Int(try header.uint32())
    try header.skip(4)
    body = bytes.suffix(bodyLength)
    let end = Self.prefixLength + Int(try header.uint32())
    while header.position < end {
      try header.align(to: 8)
      let number = try header.byte()
      let type = try header.signature()
      switch (number, type) {
      case (3, "s"): member = try header.string()
      case (4, "s"): errorName = try header.string()
      case (5, "u"): replySerial = try header.uint32()
      case (7, "s"): sender = try header.string()
      case (8, "g"): signature = try header.signature()
      case (3, _), (4, _), (5, _), (7, _), (8, _): throw DBusError(.malformed, "field's type")
      default: try header.skipValue(of: type)
      }
    }
    guard header.position == end else { throw DBusError(.malformed, "fields") }
  }
}

// MARK: - Bodies

extension DBusMessage {
  /// The body as one string or object path.
  func string() throws(DBusError) -> String {
    var reader = try reader(of: "s", "o")
    return try reader.string()
  }

  /// The body as one number.
  func number() throws(DBusError) -> UInt32 {
    var reader = try reader(of: "u")
    return try reader.uint32()
  }

  /// The body as one variant that holds a number.
  func numberInVariant() throws(DBusError) -> UInt32 {
    var reader = try reader(of: "v")
    guard try reader.signature() == "u" else { throw DBusError(.malformed, "value's type") }
    return try reader.uint32()
  }

  /// Returns whether the body contains a string that is, or ends with, a text.
  func mentions(_ text: String) -> Bool {
    let pattern = Array(text.utf8) + [0]
    return body.indices.contains { body[$0...].starts(with: pattern) }
  }

  private func reader(of signatures: String...) throws(DBusError) -> DBusReader {
    guard signatures.contains(signature) else { throw DBusError(.malformed, "signature") }
    return DBusReader(body, isBigEndian: isBigEndian)
  }
}
#endif
