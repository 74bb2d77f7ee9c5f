#if os(Linux)
/// The address family of a message, `AF_…`.
package struct AddressFamily: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = AddressFamily(rawValue: 0)
  package static let ipv4 = AddressFamily(rawValue: 2)
  package static let bridge = AddressFamily(rawValue: 7)
  package static let ipv6 = AddressFamily(rawValue: 10)
}
#endif
