// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import POSIX

/// The addresses of captive portal APIs that routers announce on links (RFC 8910), from the kernel's messages.
///
/// The kernel neither keeps them nor tells when a router withdraws one. So an address counts until its link loses the network, or
/// until a router must have repeated it.
struct AnnouncedPortals: Equatable, Sendable {
  private struct Portal: Equatable {
    var address: String
    /// When the address is forgotten unless a router repeats it.
    var end: Moment
  }

  /// The last valid announcement on each link.
  ///
  /// A network with two is misconfigured (RFC 8910, section 3).
  private var portals: [Int32: Portal] = [:]

  /// Three times the greatest interval between the advertisements of a router, `MaxRtrAdvInterval` (RFC 4861, section 6.2.1).
  private static var lifetime: Duration { .seconds(3 * 1800) }

  var isEmpty: Bool { portals.isEmpty }

  /// Takes the options of a router advertisement; returns whether the address on a link changed.
  mutating func record(_ option: RouterOption, now: Moment) -> Bool {
    guard let bytes = option.captivePortal, let address = PortalAddress.text(bytes) else { return false }
    let old = portals.updateValue(
      Portal(address: address, end: now.advanced(by: Self.lifetime)), forKey: option.index)
    return old?.address != address
  }

  /// Forgets the address on a link.
  mutating func forget(_ link: Int32) {
    if !portals.isEmpty { portals[link] = nil }
  }

  /// Forgets the addresses on the other links.
  mutating func keep(_ isKept: (_ link: Int32) -> Bool) {
    if !portals.isEmpty { portals = portals.filter { isKept($0.key) } }
  }

  /// Adds the addresses that another subscription has received.
  mutating func add(_ other: AnnouncedPortals) {
    portals.merge(other.portals) { $0.end > $1.end ? $0 : $1 }
  }

  /// Adds the addresses to the interfaces of a path, which holds no longer than they do.
  func add(to evaluation: inout PathEvaluation, now: Moment) {
    if portals.isEmpty { return }
    for place in evaluation.path.interfaces.indices {
      let index = Int32(clamping: evaluation.path.interfaces[place].interface.index)
      guard let portal = portals[index], portal.end > now else { continue }
      evaluation.path.interfaces[place].captivePortalAPI = portal.address
      evaluation.lifetime = [evaluation.lifetime, now.duration(to: portal.end)].compactMap(\.self).min()
    }
  }
}

/// The address of a captive portal API as a network announces it.
///
/// Anyone on the link can announce one. So only those count that RFC 8908 and RFC 8910 allow: an `https` URL, whose server has to prove its
/// name, or the name for a network without a portal. A URL with a user or a password does not count.
enum PortalAddress {
  /// The most bytes that a router advertisement can announce.
  private static let limit = 255 * 8 - 2

  /// Returns the address as text; `nil` if it does not count.
  static func text(_ bytes: some Collection<UInt8>) -> String? {
    guard bytes.count <= limit, bytes.allSatisfy(isOfURL) else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    let lowercase = text.lowercased()
    if lowercase == ReachabilityPath.Interface.noPortal { return lowercase }
    guard lowercase.hasPrefix("https://") else { return nil }
    let authority = text.utf8.dropFirst("https://".utf8.count).prefix { !"/?#".utf8.contains($0) }
    return authority.isEmpty || authority.first == UInt8(ascii: ":") || authority.contains(UInt8(ascii: "@"))
      ? nil : text
  }

  /// Whether a byte may be part of a URL (RFC 3986, section 2).
  private static func isOfURL(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    default: "-._~:/?#[]@!$&'()*+,;=%".utf8.contains(byte)
    }
  }
}
#endif
