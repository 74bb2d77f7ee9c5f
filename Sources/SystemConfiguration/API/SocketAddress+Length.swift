public import Foundation

// Socket addresses on Apple platforms begin with their length; on Linux the family alone tells it. What is assigned
// here is therefore dropped, and what is read follows from the family.

extension sockaddr {
  /// The length in bytes that the family gives: 16 for IPv4, 28 for IPv6, 0 for others.
  public var sa_len: UInt8 {
    get { lengthOfSocketAddress(sa_family) }
    set {}
  }
}

extension sockaddr_in {
  /// The length in bytes, 16 if the family is `AF_INET`.
  public var sin_len: UInt8 {
    get { lengthOfSocketAddress(sin_family) }
    set {}
  }
}

extension sockaddr_in6 {
  /// The length in bytes, 28 if the family is `AF_INET6`.
  public var sin6_len: UInt8 {
    get { lengthOfSocketAddress(sin6_family) }
    set {}
  }
}

extension sockaddr_storage {
  /// The length in bytes that the family gives: 16 for IPv4, 28 for IPv6, 0 for others.
  public var ss_len: UInt8 {
    get { lengthOfSocketAddress(ss_family) }
    set {}
  }
}

private func lengthOfSocketAddress(_ family: sa_family_t) -> UInt8 {
  switch Int32(family) {
  case AF_INET: UInt8(MemoryLayout<sockaddr_in>.size)
  case AF_INET6: UInt8(MemoryLayout<sockaddr_in6>.size)
  default: 0
  }
}
