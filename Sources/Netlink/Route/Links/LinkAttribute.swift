#if os(Linux)
/// The attributes of links, `IFLA_…`.
///
/// All attribute numbers are written in this module, because not every C library includes the kernel's headers, and old
/// headers lack the newest numbers.
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
  /// `IFLA_ALT_IFNAME`, inside `IFLA_PROP_LIST`.
  package static var alternativeName: UInt16 { 53 }
  /// `IFLA_PARENT_DEV_NAME`.
  package static var parentDevice: UInt16 { 56 }
  /// `IFLA_PARENT_DEV_BUS_NAME`.
  package static var parentBus: UInt16 { 57 }

  /// The attributes inside `IFLA_LINKINFO`, `IFLA_INFO_…`.
  package enum Info {
    /// `IFLA_INFO_KIND`.
    package static var kind: UInt16 { 1 }
    /// `IFLA_INFO_DATA`.
    package static var data: UInt16 { 2 }
    /// `IFLA_INFO_SLAVE_KIND`.
    package static var memberKind: UInt16 { 4 }
  }

  /// The attributes inside the `IFLA_INFO_DATA` of a bond, `IFLA_BOND_…`.
  package enum Bond {
    /// `IFLA_BOND_ACTIVE_SLAVE`.
    package static var activePort: UInt16 { 2 }
  }

  /// The attributes inside the `IFLA_INFO_DATA` of a VXLAN, `IFLA_VXLAN_…`.
  package enum VXLAN {
    /// `IFLA_VXLAN_LINK`.
    package static var lower: UInt16 { 3 }
  }
}
#endif
