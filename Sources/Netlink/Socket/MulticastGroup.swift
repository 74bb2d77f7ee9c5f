#if os(Linux)
/// A group of announcements that a socket can join, `RTNLGRP_…`.
package struct MulticastGroup: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  package static let links = MulticastGroup(rawValue: 1)
  package static let neighbours = MulticastGroup(rawValue: 3)
  package static let ipv4Addresses = MulticastGroup(rawValue: 5)
  package static let ipv4Routes = MulticastGroup(rawValue: 7)
  package static let ipv4Rules = MulticastGroup(rawValue: 8)
  package static let ipv6Addresses = MulticastGroup(rawValue: 9)
  package static let ipv6Routes = MulticastGroup(rawValue: 11)
  package static let ipv6Rules = MulticastGroup(rawValue: 19)
  package static let ipv4Configuration = MulticastGroup(rawValue: 24)
  package static let ipv6Configuration = MulticastGroup(rawValue: 25)
  package static let nextHops = MulticastGroup(rawValue: 32)
}
#endif
