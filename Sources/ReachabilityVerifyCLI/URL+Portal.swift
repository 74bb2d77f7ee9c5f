import Foundation
import ReachabilityHTTP

extension URL {
  /// Reads the address of a captive portal API (RFC 8908), or the URN of RFC 8910 for a network without a portal.
  init?(portalText text: String) {
    guard let url = URL(string: text) else { return nil }
    guard url.isForBrowsers || text.lowercased() == "urn:ietf:params:capport:unrestricted" else { return nil }
    self = url
  }
}
