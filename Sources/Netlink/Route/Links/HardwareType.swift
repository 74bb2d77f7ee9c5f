#if os(Linux)
/// The hardware type that the driver reports, `ARPHRD_…`; for most hardware it is Ethernet.
package struct HardwareType: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package init(integerLiteral rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let ethernet: HardwareType = 1
  package static let ppp: HardwareType = 512
  /// Packets without a link-layer header, as modems send them, `ARPHRD_RAWIP`.
  package static let rawIP: HardwareType = 519
  package static let loopback: HardwareType = 772
  /// IEEE 802.11 frames, without and with the receiver's measurements.
  package static let radios: Set<HardwareType> = [801, 802, 803]
  /// IPv6 over low-power networks, `ARPHRD_6LOWPAN`.
  package static let lowPower: HardwareType = 825
  /// Hardware without link-layer addresses: tunnels and some modems, `ARPHRD_NONE`.
  package static let none: HardwareType = 65534
}
#endif
