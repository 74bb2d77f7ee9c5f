#if os(Linux)
/// The attributes of the Wi-Fi family, `NL80211_ATTR_…`.
package enum WirelessAttribute {
  /// `NL80211_ATTR_IFINDEX`.
  package static var index: UInt16 { 3 }
  /// `NL80211_ATTR_IFTYPE`.
  package static var type: UInt16 { 5 }
}
#endif
