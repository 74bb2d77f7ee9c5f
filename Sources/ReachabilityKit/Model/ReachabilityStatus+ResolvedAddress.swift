extension ReachabilityStatus {
  /// An address that a host's name stands for, with the status of that address.
  public struct ResolvedAddress: Hashable, Sendable {
    /// The address.
    public var address: IPAddress
    /// The index of the interface that the resolver named with a link-local address, or `nil`.
    public var zone: Int?
    /// Whether packets for this address leave this machine.
    public var status: ReachabilityStatus

    /// Makes a resolved address.
    public init(_ address: IPAddress, zone: Int? = nil, status: ReachabilityStatus) {
      self.address = address
      self.zone = zone
      self.status = status
    }
  }
}

extension ReachabilityStatus.ResolvedAddress: CustomStringConvertible {
  /// The address, with its zone if it has one, such as `fe80::1%2`.
  public var description: String {
    zone.map { "\(address)%\($0)" } ?? address.description
  }
}
