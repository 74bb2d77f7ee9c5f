// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

@testable import Netlink

// Initializers that only tests need: the product creates values of these types from bytes alone. In another module a
// memberwise initializer must delegate to one of the type's own.

extension MessageHeader {
  init(length: Int, type: MessageType, flags: MessageFlags, sequence: UInt32, port: UInt32) {
    let template = oneMessage(type, flags: flags, sequence: sequence) { _ in }
    do throws(DecodingError) {
      try self.init(decoding: RawSpan(_elements: template.span), in: 0..<Self.size)
    } catch {
      preconditionFailure("\(error)")
    }
    self.length = length
    self.type = type
    self.flags = flags
    self.sequence = sequence
    self.port = port
  }
}

extension Acknowledgement {
  init(error: Errno?, text: String?) {
    let header = MessageHeader(length: 36, type: .error, flags: .capped, sequence: 0, port: 0)
    let template = [UInt8](repeating: 0, count: 36)
    do throws(DecodingError) {
      try self.init(
        decoding: RawSpan(_elements: template.span), Message(header: header, payload: 16..<36))
    } catch {
      preconditionFailure("\(error)")
    }
    self.error = error
    self.text = text
  }
}

#endif
