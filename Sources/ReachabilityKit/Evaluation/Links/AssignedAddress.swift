/// An address of a link, with the prefix that is directly reachable there.
package struct AssignedAddress: Hashable, Sendable {
  package var address: IPAddress
  package var prefix: IPPrefix
  /// The flags that affect source address selection.
  package var flags: UInt32

  package init(address: IPAddress, prefix: IPPrefix, flags: UInt32 = 0) {
    self.address = address
    self.prefix = prefix
    self.flags = flags
  }
}

extension AssignedAddress: Comparable {
  /// Whether the address can be a source: it is neither tentative nor a duplicate.
  var isUsable: Bool {
    // IFA_F_OPTIMISTIC, IFA_F_DADFAILED and IFA_F_TENTATIVE.
    flags & 0x08 == 0 && (flags & 0x40 == 0 || flags & 0x04 != 0)
  }

  /// Orders addresses for display: IPv4 before IPv6, link-local addresses last, then by number.
  ///
  /// Age does not count, since the kernel's messages do not contain it.
  package static func < (one: AssignedAddress, other: AssignedAddress) -> Bool {
    one.sortingKey < other.sortingKey
  }

  private var sortingKey: (Int, Int, UInt128, Int, UInt32) {
    let number: UInt128 =
      switch address {
      case .v4(let address): UInt128(address.rawValue)
      case .v6(let address): address.rawValue
      }
    return (address.bitWidth, address.isLinkLocal ? 1 : 0, number, prefix.length, flags)
  }
}
