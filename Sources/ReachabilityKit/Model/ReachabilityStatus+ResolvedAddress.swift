extension ReachabilityStatus {
  /// An address of a host, with the status of that address.
  public struct ResolvedAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The index of the interface that the resolver gave for a link-local address, or `nil`.
    public var zone: Int?
    /// The reachability of this address.
    public var status: ReachabilityStatus

    /// Creates a resolved address.
    public init(_ address: IPAddress, zone: Int? = nil, status: ReachabilityStatus) {
      self.address = address
      self.zone = zone
      self.status = status
    }
  }
}

extension ReachabilityStatus.ResolvedAddress: CustomStringConvertible {
  /// The address, with its zone if it has one, for example `fe80::1%2`.
  public var description: String {
    zone.map { "\(address)%\($0)" } ?? address.description
  }
}
