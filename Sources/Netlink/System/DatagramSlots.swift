#if os(Linux)
import CPOSIX
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Room for several short datagrams, which one call takes.
package struct DatagramSlots: ~Copyable, Sendable {
  /// How many datagrams there is room for, and how long each may be.
  package let count: Int
  package let size: Int
  /// All slots, one after the other.
  package var bytes: [UInt8]
  /// What the last call brought, a slot each.
  package private(set) var datagrams: [Datagram] = []

  package init(count: Int, size: Int) {
    self.count = count
    self.size = size
    bytes = Array(repeating: 0, count: count * size)
    datagrams.reserveCapacity(count)
  }

  /// Where the datagram of a slot lies, or `nil` if it did not fit.
  package func range(of slot: Int) -> Range<Int>? {
    let length = datagrams[slot].count
    return length <= size ? slot * size..<slot * size + length : nil
  }

  /// Begins to be filled anew.
  package mutating func removeAll() {
    datagrams.removeAll(keepingCapacity: true)
  }

  /// Adds a datagram that somebody received elsewhere.
  package mutating func append(_ datagram: Datagram, _ content: ArraySlice<UInt8>) {
    let start = datagrams.count * size
    bytes.replaceSubrange(start..<start + min(content.count, size), with: content.prefix(size))
    datagrams.append(datagram)
  }
}

extension FileDescriptor {
  /// Takes the datagrams that wait, as many as there are slots, without blocking; the call is `recvmmsg`.
  ///
  /// - Throws: `EAGAIN` if none waits.
  package func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    let (count, size) = (slots.count, slots.size)
    let received: Result<[Datagram], Errno> = unsafe slots.bytes.withUnsafeMutableBytes { bytes in
      unsafe withUnsafeTemporaryAllocation(of: cposix_address.self, capacity: count) { senders in
        unsafe withUnsafeTemporaryAllocation(of: iovec.self, capacity: count) { pieces in
          unsafe withUnsafeTemporaryAllocation(of: cposix_message.self, capacity: count) { messages in
            for slot in 0..<count {
              unsafe senders[slot] = cposix_address()
              unsafe pieces[slot] = iovec(
                iov_base: bytes.baseAddress.map { unsafe $0 + slot * size }, iov_len: size)
              var message = unsafe cposix_message()
              unsafe message.header.msg_name = UnsafeMutableRawPointer(
                senders.baseAddress.map { unsafe $0 + slot })
              unsafe message.header.msg_namelen = socklen_t(MemoryLayout<cposix_address>.size)
              unsafe message.header.msg_iov = pieces.baseAddress.map { unsafe $0 + slot }
              unsafe message.header.msg_iovlen = 1
              unsafe messages[slot] = message
            }
            while true {
              // MSG_TRUNC and MSG_DONTWAIT.
              let number = unsafe cposix_receive_many(
                rawValue, messages.baseAddress, UInt32(count), 0x60, nil)
              if number < 0 {
                let error = Errno.last
                if error == .interrupted { continue }
                return .failure(error)
              }
              return .success(
                (0..<Int(number)).map { slot in
                  unsafe Datagram(
                    count: Int(messages[slot].length), senderPort: senders[slot].port,
                    isAnnouncement: senders[slot].groups != 0)
                })
            }
          }
        }
      }
    }
    slots.note(try received.get())
  }
}

extension DatagramSlots {
  fileprivate mutating func note(_ datagrams: [Datagram]) { self.datagrams = datagrams }
}
#endif
