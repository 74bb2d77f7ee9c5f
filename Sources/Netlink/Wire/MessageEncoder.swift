#if os(Linux)
import InternetProtocol

/// Writes netlink messages one after another into one buffer, which it keeps for the next use.
package struct MessageEncoder: Sendable {
  package private(set) var bytes: [UInt8] = []
  private var messageStart = 0

  package init() {}

  /// Empties the buffer and keeps its memory.
  package mutating func removeAll() {
    bytes.removeAll(keepingCapacity: true)
  }

  /// Begins a message; ``endMessage()`` puts its length in.
  package mutating func beginMessage(type: MessageType, flags: MessageFlags, sequence: UInt32) {
    messageStart = bytes.count
    append(UInt32(0))
    append(type.rawValue)
    append(flags.rawValue)
    append(sequence)
    append(UInt32(0))
  }

  /// Ends the message that was begun last.
  package mutating func endMessage() {
    set(UInt32(bytes.count - messageStart), at: messageStart)
  }

  /// Appends an integer in the machine's byte order.
  package mutating func append(_ value: some FixedWidthInteger) {
    unsafe withUnsafeBytes(of: value) { unsafe bytes.append(contentsOf: $0) }
  }

  /// Appends zeros.
  package mutating func appendZeros(_ count: Int) {
    bytes.append(contentsOf: repeatElement(0, count: count))
  }

  /// Appends an attribute whose value the closure writes, nested ones included.
  package mutating func attribute(_ type: some BinaryInteger, _ write: (inout MessageEncoder) -> Void) {
    let start = bytes.count
    append(UInt16(0))
    append(UInt16(type))
    write(&self)
    set(UInt16(bytes.count - start), at: start)
    appendZeros(bytes.count.alignedToNetlink - bytes.count)
  }

  /// Appends an attribute whose value is an integer in the machine's byte order.
  package mutating func attribute(_ type: some BinaryInteger, integer: some FixedWidthInteger) {
    attribute(type) { $0.append(integer) }
  }

  /// Appends an attribute whose value is bytes.
  package mutating func attribute(_ type: some BinaryInteger, bytes value: some Collection<UInt8>) {
    attribute(type) { $0.bytes.append(contentsOf: value) }
  }

  /// Appends an attribute whose value is text with a zero byte at the end.
  package mutating func attribute(_ type: some BinaryInteger, text: String) {
    attribute(type) {
      $0.bytes.append(contentsOf: text.utf8)
      $0.bytes.append(0)
    }
  }

  /// Appends an attribute whose value is an address in network order.
  package mutating func attribute(_ type: some BinaryInteger, address: IPAddress) {
    attribute(type) { $0.append(address) }
  }

  /// Appends an address in network order.
  package mutating func append(_ address: IPAddress) {
    switch address {
    case .v4(let address): append(address.rawValue.bigEndian)
    case .v6(let address): append(address.rawValue.bigEndian)
    }
  }

  /// Appends what another encoder holds.
  package mutating func append(_ other: MessageEncoder) {
    bytes.append(contentsOf: other.bytes)
  }

  /// Appends attributes that were kept as they came.
  package mutating func append(_ attributes: [RawAttribute]) {
    for attribute in attributes { self.attribute(attribute.type, bytes: attribute.value) }
  }

  private mutating func set(_ value: some FixedWidthInteger, at offset: Int) {
    unsafe withUnsafeBytes(of: value) { source in
      for index in 0..<source.count { bytes[offset + index] = unsafe source[index] }
    }
  }
}
#endif
