// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A radio's interface as the kernel's Wi-Fi subsystem describes it.
///
/// The kernel message is `NL80211_CMD_NEW_INTERFACE`.
package struct WirelessInterfaceMessage: Equatable, Sendable {
  package var header: GenericHeader
  /// The index of the link; some interfaces of radios are not links.
  package var index: Int32?
  package var type: WirelessInterfaceType?

  init(index: Int32?, type: WirelessInterfaceType?) {
    header = GenericHeader(.newWirelessInterface, version: 1)
    self.index = index
    self.type = type
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    header = try GenericHeader(decoding: bytes, in: range)
    var attributes = AttributeReader(in: range.lowerBound + GenericHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case WirelessAttribute.index: index = try bytes.integer(in: attribute.value)
      case WirelessAttribute.type:
        type = WirelessInterfaceType(rawValue: try bytes.integer(in: attribute.value))
      default: continue
      }
    }
  }
}

/// The mode of a radio's interface, `NL80211_IFTYPE_…`.
package struct WirelessInterfaceType: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A receiver of all frames on the channel, `NL80211_IFTYPE_MONITOR`.
  static var monitor: WirelessInterfaceType { WirelessInterfaceType(rawValue: 6) }
}

/// The attributes of the Wi-Fi family, `NL80211_ATTR_…`.
package enum WirelessAttribute {
  /// `NL80211_ATTR_IFINDEX`.
  package static var index: UInt16 { 3 }
  /// `NL80211_ATTR_IFTYPE`.
  package static var type: UInt16 { 5 }
}

/// A family of generic netlink with its message type and name.
///
/// The kernel message is `CTRL_CMD_NEWFAMILY`.
package struct FamilyMessage: Equatable, Sendable {
  package var header: GenericHeader
  /// The type of the family's messages.
  package var id: UInt16?
  package var name: String?

  init(id: UInt16?, name: String?) {
    header = GenericHeader(.newFamily, version: 2)
    self.id = id
    self.name = name
  }

  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    header = try GenericHeader(decoding: bytes, in: range)
    var attributes = AttributeReader(in: range.lowerBound + GenericHeader.size..<range.upperBound)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case FamilyAttribute.id: id = try bytes.integer(in: attribute.value)
      case FamilyAttribute.name: name = try bytes.text(in: attribute.value)
      default: continue
      }
    }
  }
}

/// The attributes of families, `CTRL_ATTR_…`.
package enum FamilyAttribute {
  /// `CTRL_ATTR_FAMILY_ID`.
  package static var id: UInt16 { 1 }
  /// `CTRL_ATTR_FAMILY_NAME`.
  package static var name: UInt16 { 2 }
}

/// The second header of every message of generic netlink.
///
///      0        1        2        3
///     0 | command| version|    reserved     |
///
/// The kernel structure is `genlmsghdr`. The type of the message identifies its family, by a number that the kernel
/// assigned when the family was registered.
package struct GenericHeader: Equatable, Sendable {
  static var size: Int { 4 }

  var command: GenericCommand
  var version: UInt8

  init(_ command: GenericCommand, version: UInt8) {
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

/// The command of a message; each family has its own numbers.
struct GenericCommand: RawRepresentable, Equatable, Sendable {
  let rawValue: UInt8

  init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Describes a family, `CTRL_CMD_NEWFAMILY`.
  static var newFamily: GenericCommand { GenericCommand(rawValue: 1) }
  /// Requests families, `CTRL_CMD_GETFAMILY`.
  static var getFamily: GenericCommand { GenericCommand(rawValue: 3) }

  /// Requests a radio's interface, `NL80211_CMD_GET_INTERFACE`.
  static var getWirelessInterface: GenericCommand { GenericCommand(rawValue: 5) }
  /// Describes a radio's interface, `NL80211_CMD_NEW_INTERFACE`.
  static var newWirelessInterface: GenericCommand { GenericCommand(rawValue: 7) }
}
#endif
