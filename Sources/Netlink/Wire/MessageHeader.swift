#if os(Linux)
/// The header that every netlink message begins with.
///
///      0        1        2        3        4        5        6        7
///     0 |              length               |      type       |      flags      |
///     8 |             sequence              |               port                |
///
/// The kernel structure is `nlmsghdr`.
package struct MessageHeader: Equatable, Sendable {
  package static let size = 16

  /// The message's length in bytes with this header, without the padding after it.
  package var length: Int
  package var type: MessageType
  package var flags: MessageFlags
  package var sequence: UInt32
  /// The netlink port of the process that the message is for.
  package var port: UInt32

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

/// What a message is about.
package struct MessageType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// An acknowledgement or an error, `NLMSG_ERROR`.
  package static var error: MessageType { MessageType(rawValue: 2) }
  /// The end of a list, `NLMSG_DONE`.
  package static var done: MessageType { MessageType(rawValue: 3) }

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
  package static var newNeighbour: MessageType { MessageType(rawValue: 28) }
  /// `RTM_GETNEIGH`.
  package static var getNeighbour: MessageType { MessageType(rawValue: 30) }
  /// `RTM_NEWRULE`.
  package static var newRule: MessageType { MessageType(rawValue: 32) }
  /// `RTM_DELRULE`.
  package static var deleteRule: MessageType { MessageType(rawValue: 33) }
  /// `RTM_GETRULE`.
  package static var getRule: MessageType { MessageType(rawValue: 34) }
  /// `RTM_NEWNEXTHOP`.
  package static var newNexthop: MessageType { MessageType(rawValue: 104) }
  /// `RTM_DELNEXTHOP`.
  package static var deleteNexthop: MessageType { MessageType(rawValue: 105) }
  /// `RTM_GETNEXTHOP`.
  package static var getNexthop: MessageType { MessageType(rawValue: 106) }
  /// `RTM_NEWNEXTHOPBUCKET`.
  package static var newNexthopBucket: MessageType { MessageType(rawValue: 116) }
  /// `RTM_NEWNETCONF`.
  package static var newNetconf: MessageType { MessageType(rawValue: 80) }
  /// `RTM_DELNETCONF`.
  package static var deleteNetconf: MessageType { MessageType(rawValue: 81) }
}

/// The flags of a message's header.
package struct MessageFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  /// Asks for something, `NLM_F_REQUEST`.
  package static let request = MessageFlags(rawValue: 0x1)
  /// Part of a list that ends with `NLMSG_DONE`, `NLM_F_MULTI`.
  package static let multipart = MessageFlags(rawValue: 0x2)
  /// Asks for an acknowledgement, `NLM_F_ACK`.
  package static let acknowledge = MessageFlags(rawValue: 0x4)
  /// The table changed while it was listed, `NLM_F_DUMP_INTR`.
  package static let dumpInterrupted = MessageFlags(rawValue: 0x10)
  /// Asks for the whole table, `NLM_F_DUMP`.
  package static let dump = MessageFlags(rawValue: 0x300)
  /// An error message repeats only the header of the request, `NLM_F_CAPPED`.
  package static let capped = MessageFlags(rawValue: 0x100)
  /// An error message carries attributes, `NLM_F_ACK_TLVS`.
  package static let errorAttributes = MessageFlags(rawValue: 0x200)
}
#endif
