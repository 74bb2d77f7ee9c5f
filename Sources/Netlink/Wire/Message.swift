// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import POSIX

/// One message of a datagram: its header and the range of its payload.
package struct Message: Equatable, Sendable {
  package var header: MessageHeader
  package var payload: Range<Int>
}

/// The header of every netlink message.
///
///      0        1        2        3        4        5        6        7
///     0 |              length               |      type       |      flags      |
///     8 |             sequence              |               port                |
///
/// The kernel structure is `nlmsghdr`.
package struct MessageHeader: Equatable, Sendable {
  package static let size = 16

  /// The length of the message in bytes, including this header and excluding the padding after it.
  var length: Int
  package var type: MessageType
  var flags: MessageFlags
  package var sequence: UInt32
  /// The netlink port of the receiving process.
  var port: UInt32

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    length = Int(try bytes.integer(UInt32.self, at: start, before: end))
    type = MessageType(rawValue: try bytes.integer(at: start + 4, before: end))
    flags = MessageFlags(rawValue: try bytes.integer(at: start + 6, before: end))
    sequence = try bytes.integer(at: start + 8, before: end)
    port = try bytes.integer(at: start + 12, before: end)
    guard length >= Self.size, length <= range.count else { throw DecodingError(.badLength, at: start) }
  }
}

/// The type of a message, `NLMSG_…` and `RTM_…`.
package struct MessageType: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// An acknowledgement or an error, `NLMSG_ERROR`.
  static var error: MessageType { MessageType(rawValue: 2) }
  /// The end of a list, `NLMSG_DONE`.
  static var done: MessageType { MessageType(rawValue: 3) }

  /// `RTM_NEWLINK`.
  package static var newLink: MessageType { MessageType(rawValue: 16) }
  /// `RTM_DELLINK`.
  package static var deleteLink: MessageType { MessageType(rawValue: 17) }
  /// `RTM_GETLINK`.
  package static var getLink: MessageType { MessageType(rawValue: 18) }
  /// `RTM_NEWADDR`.
  package static var newAddress: MessageType { MessageType(rawValue: 20) }
  /// `RTM_DELADDR`.
  package static var deleteAddress: MessageType { MessageType(rawValue: 21) }
  /// `RTM_GETADDR`.
  package static var getAddress: MessageType { MessageType(rawValue: 22) }
  /// `RTM_NEWROUTE`.
  package static var newRoute: MessageType { MessageType(rawValue: 24) }
  /// `RTM_DELROUTE`.
  package static var deleteRoute: MessageType { MessageType(rawValue: 25) }
  /// `RTM_GETROUTE`.
  package static var getRoute: MessageType { MessageType(rawValue: 26) }
  /// `RTM_NEWNEIGH`.
  static var newNeighbour: MessageType { MessageType(rawValue: 28) }
  /// `RTM_DELNEIGH`.
  static var deleteNeighbour: MessageType { MessageType(rawValue: 29) }
  /// `RTM_GETNEIGH`.
  static var getNeighbour: MessageType { MessageType(rawValue: 30) }
  /// `RTM_NEWRULE`.
  package static var newRule: MessageType { MessageType(rawValue: 32) }
  /// `RTM_DELRULE`.
  package static var deleteRule: MessageType { MessageType(rawValue: 33) }
  /// `RTM_GETRULE`.
  package static var getRule: MessageType { MessageType(rawValue: 34) }
  /// `RTM_NEWNDUSEROPT`.
  static var newRouterOption: MessageType { MessageType(rawValue: 68) }
  /// `RTM_NEWSTATS`.
  static var newStatistics: MessageType { MessageType(rawValue: 92) }
  /// `RTM_GETSTATS`.
  static var getStatistics: MessageType { MessageType(rawValue: 94) }
  /// `RTM_NEWNEXTHOP`.
  package static var newNextHop: MessageType { MessageType(rawValue: 104) }
  /// `RTM_DELNEXTHOP`.
  package static var deleteNextHop: MessageType { MessageType(rawValue: 105) }
  /// `RTM_GETNEXTHOP`.
  package static var getNextHop: MessageType { MessageType(rawValue: 106) }
  /// `RTM_NEWLINKPROP`.
  package static var newLinkProperty: MessageType { MessageType(rawValue: 108) }
  /// `RTM_NEWNEXTHOPBUCKET`.
  static var newNextHopBucket: MessageType { MessageType(rawValue: 116) }
  /// `RTM_NEWNETCONF`.
  static var newNetconf: MessageType { MessageType(rawValue: 80) }
  /// `RTM_DELNETCONF`.
  static var deleteNetconf: MessageType { MessageType(rawValue: 81) }
  /// `RTM_GETNETCONF`.
  package static var getNetconf: MessageType { MessageType(rawValue: 82) }
}

extension MessageType {
  /// The family that lists all families, `GENL_ID_CTRL`; the only one with a fixed number.
  static var familyControl: MessageType { MessageType(rawValue: 16) }

  /// A request for the TCP sockets of both address families, and each answer; `TCPDIAG_GETSOCK`.
  ///
  /// Its successor, `SOCK_DIAG_BY_FAMILY`, lists one family, so both would take two walks through all sockets.
  static var listTCPSockets: MessageType { MessageType(rawValue: 18) }
}

/// The flags of a message header, `NLM_F_…`.
package struct MessageFlags: OptionSet, Equatable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// A request, `NLM_F_REQUEST`.
  package static var request: MessageFlags { MessageFlags(rawValue: 0x1) }
  /// A request that is acknowledged, `NLM_F_ACK`.
  package static var acknowledge: MessageFlags { MessageFlags(rawValue: 0x4) }
  /// The table changed during the dump, `NLM_F_DUMP_INTR`.
  static var dumpInterrupted: MessageFlags { MessageFlags(rawValue: 0x10) }
  /// A request for the whole table, `NLM_F_DUMP`.
  static var dump: MessageFlags { MessageFlags(rawValue: 0x300) }
  /// Replaces an existing entry, `NLM_F_REPLACE`.
  package static var replace: MessageFlags { MessageFlags(rawValue: 0x100) }
  /// Fails if there is such an entry, `NLM_F_EXCL`.
  package static var exclusive: MessageFlags { MessageFlags(rawValue: 0x200) }
  /// Adds an entry, `NLM_F_CREATE`.
  package static var create: MessageFlags { MessageFlags(rawValue: 0x400) }
  /// Adds an entry behind those alike, `NLM_F_APPEND`.
  package static var append: MessageFlags { MessageFlags(rawValue: 0x800) }
  /// An error message that repeats only the header of the request, `NLM_F_CAPPED`.
  static var capped: MessageFlags { MessageFlags(rawValue: 0x100) }
  /// An error message with attributes, `NLM_F_ACK_TLVS`.
  static var errorAttributes: MessageFlags { MessageFlags(rawValue: 0x200) }
}

/// An iterator over the messages of a datagram.
///
/// The reader holds positions, not bytes; every call takes the same bytes.
package struct MessageReader: Sendable {
  private var position: Int
  private let end: Int

  package init(in range: Range<Int>) {
    position = range.lowerBound
    end = range.upperBound
  }

  /// Returns the next message, or `nil` at the end.
  package mutating func next(_ bytes: RawSpan) throws(DecodingError) -> Message? {
    guard position < end else { return nil }
    let header = try MessageHeader(decoding: bytes, in: position..<end)
    let payload = position + MessageHeader.size..<position + header.length
    // The last message of a datagram may lack its padding.
    position = min(position + header.length.alignedToNetlink, end)
    return Message(header: header, payload: payload)
  }
}

/// The address family of a message, `AF_…`.
package struct AddressFamily: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static var unspecified: AddressFamily { AddressFamily(rawValue: 0) }
  package static var ipv4: AddressFamily { AddressFamily(rawValue: 2) }
  static var bridge: AddressFamily { AddressFamily(rawValue: 7) }
  package static var ipv6: AddressFamily { AddressFamily(rawValue: 10) }
}

/// The kernel's verdict on one request: success, or an error number with the kernel's text.
///
/// The kernel message is `NLMSG_ERROR`.
package struct Acknowledgement: Error, Equatable, Sendable {
  /// The error, or `nil` for success.
  package var error: Errno?
  /// The kernel's text, `NLMSGERR_ATTR_MSG`.
  package var text: String?

  /// `NLMSGERR_ATTR_MSG`.
  private static var textAttribute: UInt16 { 1 }

  //    0        1        2        3        4        5        6        7
  // 0 |          error (negative)         | the request's header, 16 bytes, or the
  //   whole request unless the flag "capped" is set; then attributes
  package init(decoding bytes: RawSpan, _ message: Message) throws(DecodingError) {
    let (start, end) = (message.payload.lowerBound, message.payload.upperBound)
    let code = try bytes.integer(Int32.self, at: start, before: end)
    // Int32.min has no positive counterpart.
    guard code <= 0, code > .min else { throw DecodingError(.badValue, at: start) }
    error = code == 0 ? nil : Errno(rawValue: -code)
    guard message.header.flags.contains(.errorAttributes) else { return }

    var position = start + 4 + MessageHeader.size
    if !message.header.flags.contains(.capped) {
      let length = Int(try bytes.integer(UInt32.self, at: start + 4, before: end))
      guard length >= MessageHeader.size, length <= end - start - 4 else {
        throw DecodingError(.badLength, at: start + 4)
      }
      position = start + 4 + length.alignedToNetlink
    }
    guard position <= end else { return }
    var attributes = AttributeReader(in: position..<end)
    while let attribute = try attributes.next(bytes) {
      if attribute.type == Self.textAttribute { text = try bytes.text(in: attribute.value) }
    }
  }
}

/// The kernel's answer to one request.
package enum Answer: Equatable, Sendable {
  case message(Message)
  /// An error, or a success without content.
  case acknowledgement(Acknowledgement)

  package init(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    if message.header.type == .error {
      self = .acknowledgement(try Acknowledgement(decoding: bytes, message))
    } else {
      self = .message(message)
    }
  }
}

/// A violation of the wire format, with its place in the datagram.
package struct DecodingError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The kind of violation.
  package enum Code: String, Sendable {
    /// The bytes end before the value does.
    case truncated
    /// A length field is smaller than its own header, or exceeds the available bytes.
    case badLength = "bad length"
    /// A value has a size or content that its kind cannot have.
    case badValue = "bad value"
  }

  var code: Code
  /// The offset in bytes from the start of the datagram.
  package var offset: Int

  package init(_ code: Code, at offset: Int) {
    self.code = code
    self.offset = offset
  }

  package var description: String { "\(code.rawValue) at byte \(offset)" }
}
#endif
