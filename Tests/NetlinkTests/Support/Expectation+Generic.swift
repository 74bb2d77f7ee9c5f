// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport

@testable import Netlink

extension Expectation {
  /// Families of generic netlink, and answers of the Wi-Fi family.
  static let generic = [
    Expectation(
      "family-control",
      MessageHeader(length: 136, type: .familyControl, flags: .multipart, sequence: 2, port: 305),
      from: .families, .family(FamilyMessage(id: 16, name: "nlctrl"))),
    Expectation(
      "family-wireless",
      MessageHeader(length: 2496, type: .familyControl, flags: .multipart, sequence: 2, port: 305),
      from: .families, .family(FamilyMessage(id: 34, name: "nl80211"))),
    Expectation(
      "radio-monitor",
      MessageHeader(length: 144, type: MessageType(rawValue: 34), flags: [], sequence: 11, port: 305),
      from: .radios, .radio(WirelessInterfaceMessage(index: 30, type: .monitor))),
    Expectation(
      "radio-station",
      MessageHeader(length: 104, type: MessageType(rawValue: 34), flags: [], sequence: 8, port: 305),
      from: .radios, .radio(WirelessInterfaceMessage(index: 27, type: .station))),
  ]
}
#endif
