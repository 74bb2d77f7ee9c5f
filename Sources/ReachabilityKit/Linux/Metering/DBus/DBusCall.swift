#if os(Linux)
/// A call of a method whose arguments are all strings.
struct DBusCall: Hashable, Sendable {
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
