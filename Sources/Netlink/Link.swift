// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol

/// Whether a link has IPv6.
package enum IPv6Support: Sendable {
  /// The kernel does not run IPv6 on the link, for example since the MTU is too small.
  case absent
  /// IPv6 is disabled on the link (`disable_ipv6`).
  case off
  case on

  /// The least MTU of a link with IPv6, in bytes (RFC 8200, section 5).
  package static var leastMTU: UInt32 { 1280 }
}

/// A network interface as the kernel describes it.
///
/// A property absent from the message is `nil`, which for a change means *unchanged*: wireless events carry little more
/// than a name. The kernel messages are `RTM_NEWLINK` and `RTM_DELLINK`.
package struct LinkMessage: Equatable, Sendable {
  /// The address family; messages about bridge ports have their own, and do not describe the link.
  package var family: AddressFamily = .unspecified
  package var hardwareType = HardwareType(rawValue: 0)
  package var index: Int32 = 0
  package var flags: LinkFlags = []
  /// The flags that this message changes; `0xffffffff` for all.
  package var changeMask: UInt32 = 0
  package var name: InterfaceName?
  /// All alternative names of the link; only wireless events omit them.
  package var alternativeNames: [InterfaceName] = []
  package var mtu: UInt32?
  package var operationalState: OperationalState?
  /// Whether the lower layer has a carrier; meaningful only while the link is administratively up.
  package var hasCarrier: Bool?
  /// The index of the lower link, in the namespace ``lowerNamespace`` or, without one, in this namespace.
  package var lower: Int32?
  package var lowerNamespace: Int32?
  /// The index of the bridge, bond or VRF that this link belongs to.
  package var master: Int32?
  /// The kind of a virtual link, for example `veth`, `bridge` or `wireguard`; `nil` for most hardware.
  package var kind: String?
  /// The private data of ``kind``, as received.
  package var kindData: [UInt8]?
  /// The kind of the link's ``master``, for example `bridge` or `bond`.
  package var memberKind: String?
  package var hardwareAddress: [UInt8]?
  package var parentDevice: String?
  package var parentBus: String?
  package var ipv6: IPv6Support?
  /// Whether this is a wireless event, which carries no other attribute than the name.
  package var isWirelessEvent = false

  package init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |  (pad) |  hardware type  |               index               |
  // 8 |               flags               |            change mask            |
  // 16  attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    family = AddressFamily(rawValue: try bytes.integer(at: start, before: end))
    hardwareType = HardwareType(rawValue: try bytes.integer(at: start + 2, before: end))
    index = try bytes.integer(at: start + 4, before: end)
    flags = LinkFlags(rawValue: try bytes.integer(at: start + 8, before: end))
    changeMask = try bytes.integer(at: start + 12, before: end)

    var attributes = AttributeReader(in: start + 16..<end)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case LinkAttribute.name: name = try bytes.name(in: attribute.value)
      case LinkAttribute.properties: try decodeProperties(bytes, in: attribute.value)
      case LinkAttribute.mtu: mtu = try bytes.integer(in: attribute.value)
      case LinkAttribute.operationalState:
        operationalState = OperationalState(rawValue: try bytes.integer(in: attribute.value))
      case LinkAttribute.carrier: hasCarrier = try bytes.integer(UInt8.self, in: attribute.value) != 0
      case LinkAttribute.lower: lower = try bytes.integer(in: attribute.value)
      case LinkAttribute.lowerNamespace: lowerNamespace = try bytes.integer(in: attribute.value)
      case LinkAttribute.master: master = try bytes.integer(in: attribute.value)
      case LinkAttribute.info: try decodeKind(bytes, in: attribute.value)
      case LinkAttribute.hardwareAddress: hardwareAddress = try bytes.bytes(in: attribute.value)
      case LinkAttribute.parentDevice: parentDevice = try bytes.text(in: attribute.value)
      case LinkAttribute.parentBus: parentBus = try bytes.text(in: attribute.value)
      case LinkAttribute.familySpecific: try decodeFamilies(bytes, in: attribute.value)
      case LinkAttribute.wireless: isWirelessEvent = true
      default: continue
      }
    }
  }

  private mutating func decodeProperties(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    alternativeNames = []
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == LinkAttribute.alternativeName else { continue }
      alternativeNames.append(try bytes.name(in: attribute.value))
    }
  }

  private mutating func decodeFamilies(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    ipv6 = .absent
    var families = AttributeReader(in: range)
    while let family = try families.next(bytes) {
      guard family.type == UInt16(AddressFamily.ipv6.rawValue) else { continue }
      ipv6 = .on
      var attributes = AttributeReader(in: family.value)
      while let attribute = try attributes.next(bytes) {
        // An array of 32-bit numbers.
        let place = attribute.value.lowerBound + 4 * LinkAttribute.IPv6.disabled
        guard attribute.type == LinkAttribute.IPv6.settings, place + 4 <= attribute.value.upperBound else {
          continue
        }
        let isDisabled = try bytes.integer(UInt32.self, at: place, before: attribute.value.upperBound) != 0
        ipv6 = isDisabled ? .off : .on
      }
    }
  }

  private mutating func decodeKind(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case LinkAttribute.Info.kind: kind = try bytes.text(in: attribute.value)
      case LinkAttribute.Info.data: kindData = try bytes.bytes(in: attribute.value)
      case LinkAttribute.Info.memberKind: memberKind = try bytes.text(in: attribute.value)
      default: continue
      }
    }
  }
}

extension LinkMessage {
  /// The index of a bond's active port; `nil` if several or no ports are active.
  ///
  /// The kernel attribute is `IFLA_BOND_ACTIVE_SLAVE`.
  package var activePort: Int32? {
    kind == "bond" ? kindData(LinkAttribute.Bond.activePort) : nil
  }

  /// The index of the link that carries a VXLAN; of all tunnels only VXLAN has it in the private data.
  ///
  /// The kernel attribute is `IFLA_VXLAN_LINK`.
  package var underlay: Int32? {
    kind == "vxlan" ? kindData(LinkAttribute.VXLAN.lower) : nil
  }

  private func kindData(_ type: UInt16) -> Int32? {
    guard let kindData else { return nil }
    let bytes = RawSpan(_elements: kindData.span)
    var attributes = AttributeReader(in: 0..<bytes.byteCount)
    // Undecodable private data does not invalidate the message.
    while let attribute = try? attributes.next(bytes) {
      if attribute.type == type { return try? bytes.integer(in: attribute.value) }
    }
    return nil
  }
}

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
  /// `IFLA_AF_SPEC`.
  package static var familySpecific: UInt16 { 26 }
  /// `IFLA_GROUP`.
  package static var group: UInt16 { 27 }
  /// `IFLA_NET_NS_FD`.
  package static var namespaceDescriptor: UInt16 { 28 }
  /// `IFLA_EXT_MASK`.
  static var extensionMask: UInt16 { 29 }
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

  /// The attributes inside the part of `IFLA_AF_SPEC` for IPv6, `IFLA_INET6_…`.
  package enum IPv6 {
    /// `IFLA_INET6_CONF`.
    package static var settings: UInt16 { 2 }
    /// The place of `disable_ipv6` among the settings, `DEVCONF_DISABLE_IPV6`.
    package static var disabled: Int { 26 }
  }

  /// The attributes inside the `IFLA_INFO_DATA` of a bond, `IFLA_BOND_…`.
  enum Bond {
    /// `IFLA_BOND_ACTIVE_SLAVE`.
    static var activePort: UInt16 { 2 }
  }

  /// The attributes inside the `IFLA_INFO_DATA` of a VXLAN, `IFLA_VXLAN_…`.
  enum VXLAN {
    /// `IFLA_VXLAN_LINK`.
    static var lower: UInt16 { 3 }
  }
}

/// The flags of a link, `IFF_…`.
package struct LinkFlags: OptionSet, Equatable, Sendable {
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
  static let running = LinkFlags(rawValue: 1 << 6)
  /// No neighbours are found, `IFF_NOARP`.
  package static let noARP = LinkFlags(rawValue: 1 << 7)
  /// The lower layer has a carrier, `IFF_LOWER_UP`.
  package static let lowerUp = LinkFlags(rawValue: 1 << 16)
}

/// The operational state of RFC 2863, `IF_OPER_…`.
package struct OperationalState: RawRepresentable, Equatable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// Not reported by the driver; normal for loopback, PPP, cellular and tunnels.
  package static let unknown = OperationalState(rawValue: 0)
  static let notPresent = OperationalState(rawValue: 1)
  package static let down = OperationalState(rawValue: 2)
  package static let lowerLayerDown = OperationalState(rawValue: 3)
  static let testing = OperationalState(rawValue: 4)
  package static let dormant = OperationalState(rawValue: 5)
  package static let up = OperationalState(rawValue: 6)
}

/// The hardware type that the driver reports, `ARPHRD_…`; for most hardware it is Ethernet.
package struct HardwareType: RawRepresentable, Hashable, Sendable, ExpressibleByIntegerLiteral {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package init(integerLiteral rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let ethernet: HardwareType = 1
  package static let ppp: HardwareType = 512
  /// Packets without a link-layer header, as modems send them, `ARPHRD_RAWIP`.
  package static let rawIP: HardwareType = 519
  package static let loopback: HardwareType = 772
  /// IEEE 802.11 frames, without and with the receiver's measurements.
  package static let radios: Set<HardwareType> = [801, 802, 803]
  /// IPv6 over low-power networks, `ARPHRD_6LOWPAN`.
  package static let lowPower: HardwareType = 825
  /// Hardware without link-layer addresses: tunnels and some modems, `ARPHRD_NONE`.
  package static let none: HardwareType = 65534
}

/// The packet counters of a link.
///
/// The kernel messages are `RTM_NEWSTATS` and `RTM_GETSTATS`.
package struct StatisticsMessage: Equatable, Sendable {
  /// The index of the link.
  package var index: Int32 = 0
  /// The groups of counters that the message contains, or that a request asks for.
  package var groups: UInt32 = 0
  /// The numbers of packets; missing if the message has no such group.
  package var received: UInt64?
  package var sent: UInt64?

  init() {}

  //    0        1        2        3        4        5        6        7
  // 0 | family |           (pad)          |               index               |
  // 8 |               groups              | attributes …
  package init(decoding bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    let (start, end) = (range.lowerBound, range.upperBound)
    index = try bytes.integer(at: start + 4, before: end)
    groups = try bytes.integer(at: start + 8, before: end)
    var attributes = AttributeReader(in: start + 12..<end)
    while let attribute = try attributes.next(bytes) {
      guard attribute.type == Self.counters else { continue }
      let (start, end) = (attribute.value.lowerBound, attribute.value.upperBound)
      received = try bytes.integer(at: start, before: end)
      sent = try bytes.integer(at: start + 8, before: end)
    }
  }

  /// `IFLA_STATS_LINK_64`, the structure `rtnl_link_stats64`.
  package static var counters: UInt16 { 1 }
  /// The bit of this group.
  static var countersGroup: UInt32 { 1 << (UInt32(counters) - 1) }
}
#endif
