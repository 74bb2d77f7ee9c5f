#if os(Linux)
import InternetProtocol

/// How a route wraps packets, `RTA_ENCAP_TYPE` (`LWTUNNEL_ENCAP_…`).
package enum Encapsulation: Hashable, Sendable {
  /// Packets are sent to this segment first (`LWTUNNEL_ENCAP_SEG6`, RFC 8754).
  case segment(IPAddress)
  /// Ethernet frames are sent to a segment (`SEG6_IPTUN_MODE_L2ENCAP`).
  case frames
  /// Another kind, for example `LWTUNNEL_ENCAP_IP` (2).
  case other(UInt16)

  /// `LWTUNNEL_ENCAP_SEG6`.
  private static var segmentRouting: UInt16 { 5 }
  /// `SEG6_IPTUNNEL_SRH`.
  private static var segmentRoutingHeader: UInt16 { 1 }
  /// `SEG6_IPTUN_MODE_L2ENCAP` and `SEG6_IPTUN_MODE_L2ENCAP_RED`.
  private static var frameModes: Set<Int32> { [2, 4] }

  //    0        1        2        3        4        5        6        7
  // 0 |               mode                |  next  | length |  type  |  left  |
  // 8 |  last  | flags  |       tag       | segments of 16 bytes, the first one at the end …
  // The kernel structures are seg6_iptunnel_encap and ipv6_sr_hdr.
  init(type: UInt16, decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    self = .other(type)
    guard type == Self.segmentRouting else { return }
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == Self.segmentRoutingHeader else { continue }
      let (start, end) = (attribute.value.lowerBound, attribute.value.upperBound)
      if Self.frameModes.contains(try bytes.integer(at: start, before: end)) {
        self = .frames
        return
      }
      let place = start + 12 + 16 * Int(try bytes.integer(UInt8.self, at: start + 8, before: end))
      guard place + 16 <= end else { throw DecodingError(.truncated, at: start) }
      self = .segment(try bytes.address(in: place..<place + 16))
      return
    }
  }
}
#endif
