#if os(Linux)
/// The header that follows a message's own where the message belongs to a family of generic netlink.
///
///      0        1        2        3
///     0 | command| version|    reserved     |
///
/// The kernel structure is `genlmsghdr`. Which family a message belongs to its type tells, by a number that the
/// kernel gave to the family when that was registered.
package struct GenericHeader: Hashable, Sendable {
  package static var size: Int { 4 }

  package var command: GenericCommand
  package var version: UInt8

  package init(_ command: GenericCommand, version: UInt8) {
    self.command = command
    self.version = version
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    command = GenericCommand(rawValue: try bytes.integer(at: start, before: end))
    version = try bytes.integer(at: start + 1, before: end)
    guard end - start >= Self.size else { throw DecodingError(.truncated, at: start + 2) }
  }

  /// Appends the header.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(command.rawValue)
    encoder.append(version)
    encoder.appendZeros(2)
  }
}

/// What a message wants or tells; each family has numbers of its own.
package struct GenericCommand: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Describes a family, `CTRL_CMD_NEWFAMILY`.
  package static var newFamily: GenericCommand { GenericCommand(rawValue: 1) }
  /// Asks for families, `CTRL_CMD_GETFAMILY`.
  package static var getFamily: GenericCommand { GenericCommand(rawValue: 3) }

  /// Asks for a radio's interface, `NL80211_CMD_GET_INTERFACE`.
  package static var getWirelessInterface: GenericCommand { GenericCommand(rawValue: 5) }
  /// Describes a radio's interface, `NL80211_CMD_NEW_INTERFACE`.
  package static var newWirelessInterface: GenericCommand { GenericCommand(rawValue: 7) }
}

extension MessageType {
  /// The family that knows the families, `GENL_ID_CTRL`; the only one whose number is fixed.
  package static var familyControl: MessageType { MessageType(rawValue: 16) }
}
#endif
