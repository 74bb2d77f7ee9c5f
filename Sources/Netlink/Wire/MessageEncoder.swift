#if os(Linux)
import InternetProtocol
import POSIX

/// Writes netlink messages one after another into one buffer, which it keeps for the next use.
package struct MessageEncoder: Sendable {
  private var storage = [UInt8](repeating: 0, count: 256)
  private var count = 0
  private var messageStart = 0

  package init() {}

  /// What has been written.
  package var bytes: [UInt8] { Array(storage[..<count]) }

  /// Lends what has been written, without a copy.
  package func withSpan(_ body: (RawSpan) throws(Errno) -> Void) throws(Errno) {
    try body(RawSpan(_elements: storage.span).extracting(0..<count))
  }

  /// Forgets what has been written and keeps the memory.
  package mutating func removeAll() {
    count = 0
  }

  /// Begins a message; ``endMessage()`` puts its length in.
  ///
  /// - Parameter port: The netlink port of the process that the message is for; 0 for the kernel.
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

  /// Ends the message that was begun last.
  package mutating func endMessage() {
    set(UInt32(count - messageStart), at: messageStart)
  }

  /// Appends an integer in the machine's byte order.
  package mutating func append(_ value: some FixedWidthInteger & BitwiseCopyable) {
    reserve(value.bitWidth / 8)
    set(value, at: count)
    count += value.bitWidth / 8
  }

  /// Appends zeros.
  package mutating func appendZeros(_ count: Int) {
    if count > 0 { append(repeatElement(0, count: count)) }
  }

  /// Appends an attribute whose value the closure writes, nested ones included.
  package mutating func attribute(_ type: UInt16, _ write: (inout MessageEncoder) -> Void) {
    let start = count
    append(UInt16(0))
    append(type)
    write(&self)
    set(UInt16(count - start), at: start)
    appendZeros(count.alignedToNetlink - count)
  }

  /// Appends an attribute whose value is an integer in the machine's byte order.
  package mutating func attribute(_ type: UInt16, integer: some FixedWidthInteger & BitwiseCopyable) {
    append(UInt16(4 + integer.bitWidth / 8))
    append(type)
    append(integer)
    appendZeros(count.alignedToNetlink - count)
  }

  /// Appends an attribute whose value is bytes.
  package mutating func attribute(_ type: UInt16, bytes value: some Collection<UInt8>) {
    attribute(type) { $0.append(value) }
  }

  /// Appends an attribute whose value is text with a zero byte at the end.
  package mutating func attribute(_ type: UInt16, text: String) {
    attribute(type) {
      $0.append(text.utf8)
      $0.appendZeros(1)
    }
  }

  /// Appends an attribute whose value is the name of an interface with a zero byte at the end.
  package mutating func attribute(_ type: UInt16, name: InterfaceName) {
    attribute(type) {
      $0.append(name.octets)
      $0.appendZeros(1)
    }
  }

  /// Appends an attribute whose value is an address in network order.
  package mutating func attribute(_ type: UInt16, address: IPAddress) {
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

  /// Appends an address in network order.
  package mutating func append(_ address: IPAddress) {
    switch address {
    case .v4(let address): append(address.rawValue.bigEndian)
    case .v6(let address): append(address.rawValue.bigEndian)
    }
  }

  /// Appends what another encoder holds.
  package mutating func append(_ other: MessageEncoder) {
    append(other.bytes)
  }

  /// Appends bytes.
  package mutating func append(_ bytes: some Collection<UInt8>) {
    reserve(bytes.count)
    for byte in bytes {
      storage[count] = byte
      count += 1
    }
  }

  /// Appends attributes that were kept as they came.
  package mutating func append(_ attributes: [RawAttribute]) {
    for attribute in attributes { self.attribute(attribute.type, bytes: attribute.value) }
  }

  /// Makes room and lets a closure fill it, from an offset; the stores check the bounds.
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
    // Bounds are checked inside; any integer has a bit pattern.
    unsafe storage.withUnsafeMutableBytes { bytes in
      unsafe bytes.storeBytes(of: value, toByteOffset: offset, as: Value.self)
    }
  }
}
#endif
