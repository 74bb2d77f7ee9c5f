#if os(Linux)
/// The command of a message; each family has its own numbers.
package struct GenericCommand: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Describes a family, `CTRL_CMD_NEWFAMILY`.
  package static var newFamily: GenericCommand { GenericCommand(rawValue: 1) }
  /// Requests families, `CTRL_CMD_GETFAMILY`.
  package static var getFamily: GenericCommand { GenericCommand(rawValue: 3) }

  /// Requests a radio's interface, `NL80211_CMD_GET_INTERFACE`.
  package static var getWirelessInterface: GenericCommand { GenericCommand(rawValue: 5) }
  /// Describes a radio's interface, `NL80211_CMD_NEW_INTERFACE`.
  package static var newWirelessInterface: GenericCommand { GenericCommand(rawValue: 7) }
}
#endif
