#if os(Linux)
/// The flags of an address, `IFA_F_…`.
package struct AddressFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Duplicate address detection found another owner, `IFA_F_DADFAILED`.
  package static let duplicate = AddressFlags(rawValue: 0x08)
  /// Duplicate address detection is running, `IFA_F_TENTATIVE`.
  package static let tentative = AddressFlags(rawValue: 0x40)
}
#endif
