// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A message from a bus: the header fields that a caller needs, and the body.
struct DBusMessage: Equatable, Sendable {
  /// The type of a message.
  struct Kind: RawRepresentable, Equatable, Sendable {
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

/// A call of a method whose arguments are all strings.
struct DBusCall: Equatable, Sendable {
  var destination: String
  var path: String
  var interface: String
  var member: String
  var arguments: [String] = []

  /// The message's bytes, in little-endian order.
  ///
  /// With `NO_AUTO_START`: a query must not start a service.
  func encoded(serial: UInt32) -> [UInt8] {
    var body = DBusEncoder()
    for argument in arguments { body.append(string: argument) }

    var fields = DBusEncoder()
    fields.append(field: 1, "o", path)
    fields.append(field: 2, "s", interface)
    fields.append(field: 3, "s", member)
    fields.append(field: 6, "s", destination)
    if !arguments.isEmpty {
      fields.append(field: 8, signature: String(repeating: "s", count: arguments.count))
    }

    var message = DBusEncoder()
    // Byte order, METHOD_CALL, NO_AUTO_START and protocol version.
    message.bytes = [UInt8(ascii: "l"), 1, 2, 1]
    message.append(UInt32(body.bytes.count))
    message.append(serial)
    message.append(UInt32(fields.bytes.count))
    // This offset and the start of the body are multiples of 8, so alignment is preserved.
    message.bytes += fields.bytes
    message.align(to: 8)
    return message.bytes + body.bytes
  }
}

/// A writer of values, each aligned for its type.
private struct DBusEncoder {
  var bytes: [UInt8] = []

  mutating func align(to size: Int) {
    while bytes.count % size != 0 { bytes.append(0) }
  }

  mutating func append(_ value: UInt32) {
    align(to: 4)
    for shift in stride(from: 0, to: 32, by: 8) { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
  }

  mutating func append(string: String) {
    append(UInt32(string.utf8.count))
    bytes += Array(string.utf8) + [0]
  }

  private mutating func append(signature: String) {
    bytes.append(UInt8(truncatingIfNeeded: signature.utf8.count))
    bytes += Array(signature.utf8) + [0]
  }

  /// A header field: its number, its type and its value.
  mutating func append(field number: UInt8, _ type: String, _ value: String) {
    align(to: 8)
    bytes.append(number)
    append(signature: type)
    append(string: value)
  }

  mutating func append(field number: UInt8, signature: String) {
    align(to: 8)
    bytes.append(number)
    append(signature: "g")
    append(signature: signature)
  }
}
#endif
