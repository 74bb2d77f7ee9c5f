#if os(Linux)
// The kernel's numbers are written down here, not taken from its headers: not every C library comes with them, and
// old ones lack the youngest.

/// Attributes of links, `IFLA_…`.
package enum LinkAttribute {
  /// `IFLA_ADDRESS`.
  package static var hardwareAddress: UInt16 { 1 }
  /// `IFLA_IFNAME`.
  package static var name: UInt16 { 3 }
  /// `IFLA_MTU`.
  package static var mtu: UInt16 { 4 }
  /// `IFLA_LINK`.
  package static var lower: UInt16 { 5 }
  /// `IFLA_MASTER`.
  package static var master: UInt16 { 10 }
  /// `IFLA_WIRELESS`.
  package static var wireless: UInt16 { 11 }
  /// `IFLA_OPERSTATE`.
  package static var operationalState: UInt16 { 16 }
  /// `IFLA_LINKINFO`.
  package static var info: UInt16 { 18 }
  /// `IFLA_EXT_MASK`.
  package static var extensionMask: UInt16 { 29 }
  /// `IFLA_CARRIER`.
  package static var carrier: UInt16 { 33 }
  /// `IFLA_LINK_NETNSID`.
  package static var lowerNamespace: UInt16 { 37 }
  /// `IFLA_PROP_LIST`.
  package static var properties: UInt16 { 52 }
  /// `IFLA_ALT_IFNAME`, inside of `IFLA_PROP_LIST`.
  package static var alternativeName: UInt16 { 53 }
  /// `IFLA_PARENT_DEV_NAME`.
  package static var parentDevice: UInt16 { 56 }
  /// `IFLA_PARENT_DEV_BUS_NAME`.
  package static var parentBus: UInt16 { 57 }
}

/// Attributes inside a link's `IFLA_LINKINFO`, `IFLA_INFO_…`.
package enum LinkInfoAttribute {
  /// `IFLA_INFO_KIND`.
  package static var kind: UInt16 { 1 }
  /// `IFLA_INFO_DATA`.
  package static var data: UInt16 { 2 }
  /// `IFLA_INFO_SLAVE_KIND`.
  package static var memberKind: UInt16 { 4 }
}

/// Attributes inside a bond's `IFLA_INFO_DATA`, `IFLA_BOND_…`.
package enum BondAttribute {
  /// `IFLA_BOND_ACTIVE_SLAVE`.
  package static var activePort: UInt16 { 2 }
}

/// Attributes inside the `IFLA_INFO_DATA` of a VXLAN, `IFLA_VXLAN_…`.
package enum VXLANAttribute {
  /// `IFLA_VXLAN_LINK`.
  package static var lower: UInt16 { 3 }
}

/// Attributes of addresses, `IFA_…`.
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

/// Attributes of routes, `RTA_…`.
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
  /// `RTA_UID`.
  package static var userID: UInt16 { 25 }
  /// `RTA_IP_PROTO`.
  package static var protocolNumber: UInt16 { 27 }
  /// `RTA_SPORT`.
  package static var sourcePort: UInt16 { 28 }
  /// `RTA_DPORT`.
  package static var destinationPort: UInt16 { 29 }
  /// `RTA_NH_ID`.
  package static var nexthopID: UInt16 { 30 }
}

/// Attributes of neighbours, `NDA_…`.
package enum NeighbourAttribute {
  /// `NDA_DST`.
  package static var destination: UInt16 { 1 }
  /// `NDA_LLADDR`.
  package static var hardwareAddress: UInt16 { 2 }
}

/// Attributes of policy rules, `FRA_…`.
package enum RuleAttribute {
  /// `FRA_DST`.
  package static var destination: UInt16 { 1 }
  /// `FRA_SRC`.
  package static var source: UInt16 { 2 }
  /// `FRA_IIFNAME`.
  package static var inputInterface: UInt16 { 3 }
  /// `FRA_PRIORITY`.
  package static var priority: UInt16 { 6 }
  /// `FRA_FWMARK`.
  package static var mark: UInt16 { 10 }
  /// `FRA_SUPPRESS_PREFIXLEN`.
  package static var suppressedPrefixLength: UInt16 { 14 }
  /// `FRA_TABLE`.
  package static var table: UInt16 { 15 }
  /// `FRA_FWMASK`.
  package static var markMask: UInt16 { 16 }
  /// `FRA_OIFNAME`.
  package static var outputInterface: UInt16 { 17 }
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

/// Attributes of next-hop objects, `NHA_…`.
package enum NexthopAttribute {
  /// `NHA_ID`.
  package static var id: UInt16 { 1 }
  /// `NHA_GROUP`.
  package static var group: UInt16 { 2 }
  /// `NHA_BLACKHOLE`.
  package static var blackhole: UInt16 { 4 }
  /// `NHA_OIF`.
  package static var outputInterface: UInt16 { 5 }
  /// `NHA_GATEWAY`.
  package static var gateway: UInt16 { 6 }
}

/// Attributes of errors, `NLMSGERR_ATTR_…`.
package enum ErrorAttribute {
  /// `NLMSGERR_ATTR_MSG`.
  package static var text: UInt16 { 1 }
}
#endif
