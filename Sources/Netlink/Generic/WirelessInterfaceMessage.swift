#if os(Linux)
/// A radio's interface as the kernel's Wi-Fi subsystem describes it.
///
/// The kernel message is `NL80211_CMD_NEW_INTERFACE`.
package struct WirelessInterfaceMessage: Hashable, Sendable {
  package var header: GenericHeader
  /// The index of the link; some interfaces of radios are not links.
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
}
#endif
