// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension WirelessInterfaceType {
  /// A client of an access point, `NL80211_IFTYPE_STATION`.
  package static var station: WirelessInterfaceType { WirelessInterfaceType(rawValue: 2) }
  /// An access point, `NL80211_IFTYPE_AP`.
  package static var accessPoint: WirelessInterfaceType { WirelessInterfaceType(rawValue: 3) }
}
#endif
