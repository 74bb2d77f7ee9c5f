// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import POSIX

/// Encodes netlink messages into a reusable buffer.
package struct MessageEncoder: Sendable {
  private var storage = [UInt8](repeating: 0, count: 256)
  private var count = 0
  private var messageStart = 0

  package init() {}

  /// Passes the encoded bytes to a closure, without a copy.
  package func withSpan(_ body: (RawSpan) throws(Errno) -> Void) throws(Errno) {
    try body(RawSpan(_elements: storage.span).extracting(0..<count))
  }

  /// A copy of the encoded bytes.
  package var bytes: [UInt8] { Array(storage[..<count]) }

  /// Discards the encoded bytes and keeps the memory.
  mutating func removeAll() {
    count = 0
  }

  /// Begins a message; ``endMessage()`` fills in its length.
  ///
  /// - Parameter port: The netlink port of the receiving process; 0 for the kernel.
  package mutating func beginMessage(
    type: MessageType, flags: MessageFlags, sequence: UInt32, port: UInt32 = 0
  ) {
    messageStart = count
    unsafe extend(by: MessageHeader.size) { bytes, start in
      unsafe bytes.storeBytes(of: type.rawValue, toByteOffset: start + 4, as: UInt16.self)
      unsafe bytes.storeBytes(of: flags.rawValue, toByteOffset: start + 6, as: UInt16.self)
      unsafe bytes.storeBytes(of: sequence, toByteOffset: start + 8, as: UInt32.self)
      unsafe bytes.storeBytes(of: port, toByteOffset: start + 12, as: UInt32.self)
    }
  }

  /// Ends the message that began last.
  package mutating func endMessage() {
    set(UInt32(count - messageStart), at: messageStart)
  }

  /// Appends an integer in the machine's byte order.
  package mutating func append(_ value: some FixedWidthInteger & BitwiseCopyable) {
    reserve(value.bitWidth / 8)
    set(value, at: count)
    count += value.bitWidth / 8
  }

  package mutating func append(bytes: [UInt8]) {
    unsafe extend(by: bytes.count) { storage, start in
      unsafe UnsafeMutableRawBufferPointer(rebasing: storage[start..<start + bytes.count]).copyBytes(
        from: bytes)
    }
  }

  package mutating func appendZeros(_ count: Int) {
    for _ in 0..<count { append(UInt8(0)) }
  }

  /// Appends an attribute whose value is an integer in the machine's byte order.
  package mutating func attribute<Value: FixedWidthInteger & BitwiseCopyable>(
    _ type: UInt16, integer: Value
  ) {
    let size = MemoryLayout<Value>.size
    unsafe extend(by: 4 + size.alignedToNetlink) { bytes, start in
      unsafe bytes.storeBytes(of: UInt16(4 + size), toByteOffset: start, as: UInt16.self)
      unsafe bytes.storeBytes(of: type, toByteOffset: start + 2, as: UInt16.self)
      // The storage has bytes of earlier messages, and short values are padded.
      unsafe bytes.storeBytes(of: 0, toByteOffset: start + 4, as: UInt32.self)
      unsafe bytes.storeBytes(of: integer, toByteOffset: start + 4, as: Value.self)
    }
  }

  /// Appends an attribute whose value is an address in network order.
  package mutating func attribute(_ type: UInt16, address: ReachabilityAddress) {
    unsafe extend(by: 4 + address.bitWidth / 8) { bytes, start in
      unsafe bytes.storeBytes(of: UInt16(4 + address.bitWidth / 8), toByteOffset: start, as: UInt16.self)
      unsafe bytes.storeBytes(of: type, toByteOffset: start + 2, as: UInt16.self)
      switch address {
      case .v4(let address):
        unsafe bytes.storeBytes(of: address.rawValue.bigEndian, toByteOffset: start + 4, as: UInt32.self)
      case .v6(let address):
        unsafe bytes.storeBytes(of: address.rawValue.bigEndian, toByteOffset: start + 4, as: UInt128.self)
      }
    }
  }

  /// Appends an attribute whose value is bytes.
  package mutating func attribute(_ type: UInt16, bytes value: some Collection<UInt8>) {
    append(UInt16(4 + value.count))
    append(type)
    for byte in value { append(byte) }
    appendZeros(-value.count & 3)
  }

  /// Appends an attribute whose value is text with a terminating zero.
  package mutating func attribute(_ type: UInt16, text: String) {
    attribute(type, bytes: Array(text.utf8) + [0])
  }

  /// Appends an attribute whose value is the attributes that a closure appends, marked as such: `NLA_F_NESTED`.
  package mutating func nest(_ type: UInt16, _ attributes: (inout MessageEncoder) -> Void) {
    let start = count
    append(UInt16(0))
    append(type | 0x8000)
    attributes(&self)
    set(UInt16(count - start), at: start)
  }

  /// Makes room and passes it to a closure with its offset; the stores check the bounds.
  private mutating func extend(by size: Int, _ fill: (UnsafeMutableRawBufferPointer, Int) -> Void) {
    reserve(size)
    unsafe storage.withUnsafeMutableBytes { unsafe fill($0, count) }
    count += size
  }

  private mutating func reserve(_ more: Int) {
    guard count + more > storage.count else { return }
    storage += Array(repeating: 0, count: max(more, storage.count))
  }

  private mutating func set<Value: FixedWidthInteger & BitwiseCopyable>(_ value: Value, at offset: Int) {
    // The store checks the bounds, and every integer has a bit pattern.
    unsafe storage.withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }
  }
}
#endif
