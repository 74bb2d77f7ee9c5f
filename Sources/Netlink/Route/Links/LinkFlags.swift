#if os(Linux)
/// The flags of a link, `IFF_…`.
package struct LinkFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Administratively up, `IFF_UP`.
  package static let up = LinkFlags(rawValue: 1 << 0)
  /// `IFF_LOOPBACK`.
  package static let loopback = LinkFlags(rawValue: 1 << 3)
  /// A single remote end and no link-layer addresses, `IFF_POINTOPOINT`.
  package static let pointToPoint = LinkFlags(rawValue: 1 << 4)
  /// Operational, `IFF_RUNNING`.
  package static let running = LinkFlags(rawValue: 1 << 6)
  /// The lower layer has a carrier, `IFF_LOWER_UP`.
  package static let lowerUp = LinkFlags(rawValue: 1 << 16)
  /// Waiting for an external event, `IFF_DORMANT`.
  package static let dormant = LinkFlags(rawValue: 1 << 17)
}
#endif
