// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import POSIX

/// A message between this process and the cell: bytes, and descriptors that the kernel passes on (`SCM_RIGHTS`).
///
/// The socket keeps messages apart, `SOCK_SEQPACKET`.
struct DescriptorMessage {
  var bytes: [UInt8] = []
  var descriptors: [CInt] = []

  /// The greatest size in bytes; longer contents are sent in several messages.
  static var limit: Int { 32768 }

  init(_ bytes: [UInt8] = [], _ descriptors: [CInt] = []) {
    (self.bytes, self.descriptors) = (bytes, descriptors)
  }

  /// Sends the message; the descriptors stay open here.
  func send(over socket: CInt) throws(Errno) {
    while true {
      let sent = unsafe bytes.withUnsafeBytes { bytes in
        unsafe descriptors.withUnsafeBufferPointer { passed in
          unsafe cns_send(socket, bytes.baseAddress, bytes.count, passed.baseAddress, UInt32(passed.count))
        }
      }
      if sent == bytes.count { return }
      let error = Errno.last
      guard sent < 0, error == .interrupted else { throw error }
    }
  }

  /// Receives a message; returns `nil` at the end, when the other side has closed its socket.
  static func receive(over socket: CInt) throws(Errno) -> DescriptorMessage? {
    var message = DescriptorMessage(
      Array(repeating: 0, count: limit), Array(repeating: -1, count: Int(cns_descriptor_limit)))
    while true {
      var number = UInt32(cns_descriptor_limit)
      let count = unsafe message.bytes.withUnsafeMutableBytes { bytes in
        unsafe message.descriptors.withUnsafeMutableBufferPointer { passed in
          unsafe cns_receive(socket, bytes.baseAddress, bytes.count, passed.baseAddress, &number)
        }
      }
      if count < 0 {
        let error = Errno.last
        if error == .interrupted { continue }
        throw error
      }
      message.bytes.removeSubrange(count...)
      message.descriptors.removeSubrange(Int(number)...)
      return count == 0 ? nil : message
    }
  }
}

extension FixedWidthInteger where Self: BitwiseCopyable {
  /// The bytes in the machine's order.
  var bytes: [UInt8] {
    (0..<MemoryLayout<Self>.size).map { UInt8(truncatingIfNeeded: littleEndian >> ($0 * 8)) }
  }
}
