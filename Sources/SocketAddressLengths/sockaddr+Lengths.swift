// SPDX-License-Identifier: Apache-2.0
public import CLibrary

// Socket addresses on Apple platforms begin with their length. On Linux the family determines it, so a length that is
// set here is ignored, and a length that is read follows from the family.

extension sockaddr {
  /// The length of the family's addresses in bytes: 16 for IPv4, 28 for IPv6, 0 for others.
  public var sa_len: UInt8 {
    get { lengthOfSocketAddress(sa_family) }
    set {}
  }

  /// Creates an address as on Apple platforms; the length is ignored.
  public init(
    sa_len: UInt8, sa_family: some BinaryInteger,
    sa_data: (
      CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar
    )
  ) {
    self.init(sa_family: sa_family_t(sa_family), sa_data: sa_data)
  }
}

extension sockaddr_in {
  /// The length in bytes, 16 if the family is `AF_INET`.
  public var sin_len: UInt8 {
    get { lengthOfSocketAddress(sin_family) }
    set {}
  }

  /// Creates an address as on Apple platforms; the length and the padding are ignored.
  public init(
    sin_len: UInt8, sin_family: some BinaryInteger, sin_port: in_port_t, sin_addr: in_addr,
    sin_zero: (CChar, CChar, CChar, CChar, CChar, CChar, CChar, CChar)
  ) {
    self.init(
      sin_family: sa_family_t(sin_family), sin_port: sin_port, sin_addr: sin_addr,
      sin_zero: (0, 0, 0, 0, 0, 0, 0, 0))
  }
}

extension sockaddr_in6 {
  /// The length in bytes, 28 if the family is `AF_INET6`.
  public var sin6_len: UInt8 {
    get { lengthOfSocketAddress(sin6_family) }
    set {}
  }

  /// Creates an address as on Apple platforms; the length is ignored.
  public init(
    sin6_len: UInt8, sin6_family: some BinaryInteger, sin6_port: in_port_t, sin6_flowinfo: UInt32,
    sin6_addr: in6_addr, sin6_scope_id: UInt32
  ) {
    self.init(
      sin6_family: sa_family_t(sin6_family), sin6_port: sin6_port, sin6_flowinfo: sin6_flowinfo,
      sin6_addr: sin6_addr, sin6_scope_id: sin6_scope_id)
  }
}

extension sockaddr_storage {
  /// The length of the family's addresses in bytes: 16 for IPv4, 28 for IPv6, 0 for others.
  public var ss_len: UInt8 {
    get { lengthOfSocketAddress(ss_family) }
    set {}
  }
}

/// The network of IPv4 link-local addresses, `169.254.0.0`, as a number in host byte order.
///
/// Linux has no such constant; Apple's is in `netinet/in.h`.
public let IN_LINKLOCALNETNUM: UInt32 = 0xa9fe_0000

private func lengthOfSocketAddress(_ family: sa_family_t) -> UInt8 {
  switch Int32(family) {
  case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
  case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
  default: 0
  }
}
