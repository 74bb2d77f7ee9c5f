#if os(Linux)
/// The attributes of addresses, `IFA_…`.
package enum AddressAttribute {
  /// `IFA_ADDRESS`.
  package static var address: UInt16 { 1 }
  /// `IFA_LOCAL`.
  package static var local: UInt16 { 2 }
  /// `IFA_LABEL`.
  package static var label: UInt16 { 3 }
  /// `IFA_BROADCAST`.
  package static var broadcast: UInt16 { 4 }
  /// `IFA_CACHEINFO`.
  package static var lifetime: UInt16 { 6 }
  /// `IFA_FLAGS`.
  package static var flags: UInt16 { 8 }
}
#endif
