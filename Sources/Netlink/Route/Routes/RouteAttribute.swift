#if os(Linux)
/// The attributes of routes, `RTA_…`.
package enum RouteAttribute {
  /// `RTA_DST`.
  package static var destination: UInt16 { 1 }
  /// `RTA_SRC`.
  package static var source: UInt16 { 2 }
  /// `RTA_IIF`.
  package static var inputInterface: UInt16 { 3 }
  /// `RTA_OIF`.
  package static var outputInterface: UInt16 { 4 }
  /// `RTA_GATEWAY`.
  package static var gateway: UInt16 { 5 }
  /// `RTA_PRIORITY`.
  package static var priority: UInt16 { 6 }
  /// `RTA_PREFSRC`.
  package static var preferredSource: UInt16 { 7 }
  /// `RTA_MULTIPATH`.
  package static var multipath: UInt16 { 9 }
  /// `RTA_CACHEINFO`.
  package static var cacheInfo: UInt16 { 12 }
  /// `RTA_TABLE`.
  package static var table: UInt16 { 15 }
  /// `RTA_MARK`.
  package static var mark: UInt16 { 16 }
  /// `RTA_VIA`.
  package static var via: UInt16 { 18 }
  /// `RTA_ENCAP_TYPE`.
  package static var encapsulationType: UInt16 { 21 }
  /// `RTA_ENCAP`.
  package static var encapsulation: UInt16 { 22 }
  /// `RTA_UID`.
  package static var userID: UInt16 { 25 }
  /// `RTA_IP_PROTO`.
  package static var protocolNumber: UInt16 { 27 }
  /// `RTA_SPORT`.
  package static var sourcePort: UInt16 { 28 }
  /// `RTA_DPORT`.
  package static var destinationPort: UInt16 { 29 }
  /// `RTA_NH_ID`.
  package static var nextHopID: UInt16 { 30 }
}
#endif
