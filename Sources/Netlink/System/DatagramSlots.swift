#if os(Linux)
/// A buffer for several short datagrams that one system call receives.
package struct DatagramSlots: ~Copyable, Sendable {
  /// The number of slots.
  package let count: Int
  /// The size of a slot in bytes.
  package let size: Int
  /// All slots, one after the other.
  package var bytes: [UInt8]
  /// The datagrams of the last call, one per slot.
  package internal(set) var datagrams: [Datagram] = []

  package init(count: Int, size: Int) {
    self.count = count
    self.size = size
    bytes = Array(repeating: 0, count: count * size)
    datagrams.reserveCapacity(count)
  }

  /// Returns the range of a slot's datagram, or `nil` if the datagram exceeds the slot.
  package func range(of slot: Int) -> Range<Int>? {
    let length = datagrams[slot].count
    return length <= size ? slot * size..<slot * size + length : nil
  }

  /// Empties all slots.
  package mutating func removeAll() {
    datagrams.removeAll(keepingCapacity: true)
  }

  /// Adds a datagram that another call received.
  package mutating func append(_ datagram: Datagram, _ content: ArraySlice<UInt8>) {
    let start = datagrams.count * size
    bytes.replaceSubrange(start..<start + min(content.count, size), with: content.prefix(size))
    datagrams.append(datagram)
  }
}
#endif
