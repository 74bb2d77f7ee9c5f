// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The message with which an IPv6 router says that it is one (RFC 4861, 4.2).
public enum RouterAdvertisement {
  /// Sends one to all hosts on a link of the calling thread's network, from the link-local address; the kernel adds the
  /// checksum.
  ///
  /// - Parameters:
  ///   - lifetime: The time for which the sender is a router, in seconds; 0 ends it.
  ///   - portal: The address of a captive portal API (RFC 8910, 2.3).
  /// - Returns: Whether the kernel accepted it. Hosts ignore it if the link-local address is not in use yet.
  public static func send(over link: String, lifetime: UInt16 = 1800, portal: String? = nil) -> Bool {
    // SOCK_RAW and SOCK_CLOEXEC, IPPROTO_ICMPV6.
    let descriptor = socket(AF_INET6, 3 | 0o2000000, 58)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var hops: Int32 = 255
    var index = Int32(bitPattern: unsafe if_nametoindex(link))
    for option in [16, 18] as [Int32] {
      // IPV6_UNICAST_HOPS and IPV6_MULTICAST_HOPS: hosts ignore advertisements that a router may have forwarded.
      guard unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), option, &hops, 4) == 0 else { return false }
    }
    // IPV6_MULTICAST_IF.
    guard unsafe setsockopt(descriptor, Int32(IPPROTO_IPV6), 17, &index, 4) == 0 else { return false }
    var target = sockaddr_in6()
    target.sin6_family = sa_family_t(AF_INET6)
    unsafe withUnsafeMutableBytes(of: &target.sin6_addr) { bytes in
      unsafe bytes.copyBytes(from: [0xff, 2] + [UInt8](repeating: 0, count: 13) + [1])
    }
    // The type, a hop limit of 64, and the lifetime.
    var message: [UInt8] =
      [134, 0, 0, 0, 64, 0, UInt8(lifetime >> 8), UInt8(truncatingIfNeeded: lifetime)]
      + [UInt8](repeating: 0, count: 8)
    if let portal {
      // The type, the length in units of eight bytes, and zeros at the end.
      let units = (portal.utf8.count + 2 + 7) / 8
      message += [37, UInt8(units)] + Array(portal.utf8)
      message += [UInt8](repeating: 0, count: 8 * units - portal.utf8.count - 2)
    }
    let size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    return unsafe withUnsafePointer(to: &target) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe sendto(descriptor, message, message.count, 0, $0, size)
      }
    } == message.count
  }
}
#endif
