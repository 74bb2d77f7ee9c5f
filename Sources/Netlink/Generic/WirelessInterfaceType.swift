#if os(Linux)
/// The mode of a radio's interface, `NL80211_IFTYPE_…`.
package struct WirelessInterfaceType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A receiver of all frames on the channel, `NL80211_IFTYPE_MONITOR`.
  package static var monitor: WirelessInterfaceType { WirelessInterfaceType(rawValue: 6) }
}
#endif
