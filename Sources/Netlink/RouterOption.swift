// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// The options of a router advertisement (RFC 4861) that the kernel passes on without using them.
///
/// The kernel message is `RTM_NEWNDUSEROPT`, of the group `RTNLGRP_ND_USEROPT`. It is sent once, as the advertisement arrives: no request
/// lists what was announced before. The kernel sends it only where it accepts advertisements itself (`accept_ra`).
package struct RouterOption: Equatable, Sendable {
  /// The index of the link that the advertisement arrived on.
  package var index: Int32 = 0
  /// The address of the network's captive portal API, without padding; `nil` if the options have none (RFC 8910, section 2.3).
  package var captivePortal: [UInt8]?

  package init(index: Int32, captivePortal: [UInt8]? = nil) {
    self.index = index
    self.captivePortal = captivePortal
  }

  //    0        1        2        3        4        5        6        7
  // 0 | family |  (pad) |     length      |               index               |
  // 8 |  type  |  code  |                        (pad)                        |
  // 16| options, of this length; then attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    let family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    let length = Int(try bytes.integer(UInt16.self, at: start + 2, before: end))
    index = try bytes.integer(at: start + 4, before: end)
    let type: UInt8 = try bytes.integer(at: start + 8, before: end)
    guard family == .ipv6, type == Self.routerAdvertisement else { return }
    var position = start + Self.headerSize
    let optionsEnd = position + length
    // Each option has a type, a length in units of eight bytes, and a value.
    while position < optionsEnd {
      guard end - position >= 8 else { throw DecodingError(.truncated, at: position) }
      let option: UInt8 = try bytes.integer(at: position, before: end)
      let length = 8 * Int(try bytes.integer(UInt8.self, at: position + 1, before: end))
      guard length > 0, length <= optionsEnd - position else { throw DecodingError(.badLength, at: position) }
      guard length <= end - position else { throw DecodingError(.truncated, at: position) }
      if option == Self.captivePortalType {
        let value = try bytes.bytes(in: position + 2..<position + length)
        captivePortal = Array(value.prefix { $0 != 0 })
      }
      position += length
    }
    // The router's address, which is not needed.
    var attributes = AttributeReader(in: position..<end)
    while try attributes.next(bytes) != nil {}
  }

  /// The size of `nduseroptmsg`.
  private static var headerSize: Int { 16 }
  /// The type of the message, `NDISC_ROUTER_ADVERTISEMENT`.
  private static var routerAdvertisement: UInt8 { 134 }
  /// The type of the option, `ND_OPT_CAPTIVE_PORTAL`.
  private static var captivePortalType: UInt8 { 37 }
}
#endif
