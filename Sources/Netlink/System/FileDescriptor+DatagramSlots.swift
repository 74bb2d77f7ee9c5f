#if os(Linux)
import CLibrary
import CPOSIX
import POSIX

extension FileDescriptor {
  /// Receives the queued datagrams into slots, without blocking; the call is `recvmmsg`.
  ///
  /// - Throws: `EAGAIN` if the queue is empty.
  package func receive(into slots: inout DatagramSlots) throws(Errno) {
    slots.removeAll()
    let (count, size) = (slots.count, slots.size)
    let flags = TransferFlags.wholeLengthWithoutWaiting
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
              let number = unsafe cposix_receive_many(
                rawValue, messages.baseAddress, UInt32(count), flags.rawValue, nil)
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
    slots.datagrams = try received.get()
  }
}
#endif
