#if os(Linux)
/// A radio's interface as the kernel's Wi-Fi part describes it.
///
/// The kernel message is `NL80211_CMD_NEW_INTERFACE`.
package struct WirelessInterfaceMessage: Hashable, Sendable {
  package var header: GenericHeader
  /// The index of the link; some interfaces of radios are none.
  package var index: Int32?
  package var type: WirelessInterfaceType?

  package init(index: Int32?, type: WirelessInterfaceType?) {
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

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    header.encode(into: &encoder)
    if let index { encoder.attribute(WirelessAttribute.index, integer: index) }
    if let type { encoder.attribute(WirelessAttribute.type, integer: type.rawValue) }
  }
}

/// Attributes of the kernel's Wi-Fi part, `NL80211_ATTR_…`.
package enum WirelessAttribute {
  /// `NL80211_ATTR_IFINDEX`.
  package static var index: UInt16 { 3 }
  /// `NL80211_ATTR_IFTYPE`.
  package static var type: UInt16 { 5 }
}

/// What a radio's interface is for, `NL80211_IFTYPE_…`.
package struct WirelessInterfaceType: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A member of a network without an access point.
  package static var adHoc: WirelessInterfaceType { WirelessInterfaceType(rawValue: 1) }
  /// A client of an access point.
  package static var station: WirelessInterfaceType { WirelessInterfaceType(rawValue: 2) }
  package static var accessPoint: WirelessInterfaceType { WirelessInterfaceType(rawValue: 3) }
  /// Hears all that is in the air.
  package static var monitor: WirelessInterfaceType { WirelessInterfaceType(rawValue: 6) }
}
#endif
