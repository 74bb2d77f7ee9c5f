#if os(Linux)
/// The address family of a message, `AF_…`.
package struct AddressFamily: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static var unspecified: AddressFamily { AddressFamily(rawValue: 0) }
  package static var ipv4: AddressFamily { AddressFamily(rawValue: 2) }
  package static var bridge: AddressFamily { AddressFamily(rawValue: 7) }
  package static var ipv6: AddressFamily { AddressFamily(rawValue: 10) }
}
#endif
