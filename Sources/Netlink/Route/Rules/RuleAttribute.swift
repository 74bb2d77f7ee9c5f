#if os(Linux)
/// The attributes of policy rules, `FRA_…`.
package enum RuleAttribute {
  /// `FRA_DST`.
  package static var destination: UInt16 { 1 }
  /// `FRA_SRC`.
  package static var source: UInt16 { 2 }
  /// `FRA_IIFNAME`.
  package static var inputInterface: UInt16 { 3 }
  /// `FRA_GOTO`.
  package static var jumpTarget: UInt16 { 4 }
  /// `FRA_PRIORITY`.
  package static var priority: UInt16 { 6 }
  /// `FRA_FWMARK`.
  package static var mark: UInt16 { 10 }
  /// `FRA_SUPPRESS_IFGROUP`.
  package static var suppressedGroup: UInt16 { 13 }
  /// `FRA_SUPPRESS_PREFIXLEN`.
  package static var suppressedPrefixLength: UInt16 { 14 }
  /// `FRA_TABLE`.
  package static var table: UInt16 { 15 }
  /// `FRA_FWMASK`.
  package static var markMask: UInt16 { 16 }
  /// `FRA_OIFNAME`.
  package static var outputInterface: UInt16 { 17 }
  /// `FRA_L3MDEV`.
  package static var routingDomain: UInt16 { 19 }
  /// `FRA_UID_RANGE`.
  package static var userIDs: UInt16 { 20 }
  /// `FRA_IP_PROTO`.
  package static var protocolNumber: UInt16 { 22 }
  /// `FRA_SPORT_RANGE`.
  package static var sourcePorts: UInt16 { 23 }
  /// `FRA_DPORT_RANGE`.
  package static var destinationPorts: UInt16 { 24 }
  /// `FRA_SPORT_MASK`.
  package static var sourcePortMask: UInt16 { 28 }
  /// `FRA_DPORT_MASK`.
  package static var destinationPortMask: UInt16 { 29 }
}
#endif
