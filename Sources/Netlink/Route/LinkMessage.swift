#if os(Linux)
import InternetProtocol

/// A network interface as the kernel describes it.
///
/// What is `nil` was not in the message, which for a change means *unchanged*: wireless events carry little more
/// than a name. The kernel messages are `RTM_NEWLINK` and `RTM_DELLINK`.
package struct LinkMessage: Hashable, Sendable {
  /// The address family; bridge ports send messages of their own family, which say nothing of the link.
  package var family: AddressFamily = .unspecified
  package var hardwareType = HardwareType(rawValue: 0)
  package var index: Int32 = 0
  package var flags: LinkFlags = []
  /// Which flags this message is about; `0xffffffff` for all.
  package var changeMask: UInt32 = 0
  package var name: InterfaceName?
  /// The other names that the link answers to; a message that tells of the link at all tells of all of them.
  package var alternativeNames: [InterfaceName] = []
  package var mtu: UInt32?
  package var operationalState: OperationalState?
  /// Whether the lower layer has a carrier; means something only while the link is administratively up.
  package var hasCarrier: Bool?
  /// The index of the link below, in the namespace that ``lowerNamespace`` tells, or here.
  package var lower: Int32?
  package var lowerNamespace: Int32?
  /// The index of the bridge, bond or VRF that this link belongs to.
  package var master: Int32?
  /// What made the link, such as `veth`, `bridge` or `wireguard`; none for most hardware.
  package var kind: String?
  /// The private data of ``kind``, as it came.
  package var kindData: [UInt8]?
  /// What the link is to its ``master``, such as `bridge` or `bond`.
  package var memberKind: String?
  package var hardwareAddress: [UInt8]?
  package var parentDevice: String?
  package var parentBus: String?
  /// Whether this is a wireless event, which leaves out all but the name.
  package var isWirelessEvent = false
  package var unknown: [RawAttribute] = []

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
      case LinkAttribute.wireless: isWirelessEvent = true
      default: unknown.append(try RawAttribute(attribute, of: bytes))
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

  private mutating func decodeKind(_ bytes: RawSpan, in range: Range<Int>) throws(DecodingError) {
    var attributes = AttributeReader(in: range)
    while let attribute = try attributes.next(bytes) {
      switch attribute.type {
      case LinkInfoAttribute.kind: kind = try bytes.text(in: attribute.value)
      case LinkInfoAttribute.data: kindData = try bytes.bytes(in: attribute.value)
      case LinkInfoAttribute.memberKind: memberKind = try bytes.text(in: attribute.value)
      default: continue
      }
    }
  }

  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.appendZeros(1)
    encoder.append(hardwareType.rawValue)
    encoder.append(index)
    encoder.append(flags.rawValue)
    encoder.append(changeMask)
    if let name { encoder.attribute(LinkAttribute.name, name: name) }
    if !alternativeNames.isEmpty {
      encoder.attribute(LinkAttribute.properties) { nested in
        for name in alternativeNames { nested.attribute(LinkAttribute.alternativeName, name: name) }
      }
    }
    if let mtu { encoder.attribute(LinkAttribute.mtu, integer: mtu) }
    if let operationalState {
      encoder.attribute(LinkAttribute.operationalState, integer: operationalState.rawValue)
    }
    if let hasCarrier { encoder.attribute(LinkAttribute.carrier, integer: hasCarrier ? UInt8(1) : 0) }
    if let lower { encoder.attribute(LinkAttribute.lower, integer: lower) }
    if let lowerNamespace { encoder.attribute(LinkAttribute.lowerNamespace, integer: lowerNamespace) }
    if let master { encoder.attribute(LinkAttribute.master, integer: master) }
    if kind != nil || kindData != nil || memberKind != nil {
      encoder.attribute(LinkAttribute.info) { nested in
        if let kind { nested.attribute(LinkInfoAttribute.kind, text: kind) }
        if let kindData { nested.attribute(LinkInfoAttribute.data, bytes: kindData) }
        if let memberKind { nested.attribute(LinkInfoAttribute.memberKind, text: memberKind) }
      }
    }
    if let hardwareAddress { encoder.attribute(LinkAttribute.hardwareAddress, bytes: hardwareAddress) }
    if let parentDevice { encoder.attribute(LinkAttribute.parentDevice, text: parentDevice) }
    if let parentBus { encoder.attribute(LinkAttribute.parentBus, text: parentBus) }
    if isWirelessEvent { encoder.attribute(LinkAttribute.wireless, bytes: []) }
    encoder.append(unknown)
  }
}

extension LinkMessage {
  /// The index of the port that a bond sends by now; `nil` where it sends by several or by none.
  ///
  /// The kernel attribute is `IFLA_BOND_ACTIVE_SLAVE`.
  package var activePort: Int32? {
    kind == "bond" ? kindData(BondAttribute.activePort) : nil
  }

  /// The index of the link that a VXLAN sends by, which alone of all tunnels it has among its private data.
  ///
  /// The kernel attribute is `IFLA_VXLAN_LINK`.
  package var underlay: Int32? {
    kind == "vxlan" ? kindData(VXLANAttribute.lower) : nil
  }

  private func kindData(_ type: UInt16) -> Int32? {
    guard let kindData else { return nil }
    let bytes = RawSpan(_elements: kindData.span)
    var attributes = AttributeReader(in: 0..<bytes.byteCount)
    // What can't be read of data that only its own kind knows is no reason to lose the message.
    while let attribute = try? attributes.next(bytes) {
      if attribute.type == type { return try? bytes.integer(in: attribute.value) }
    }
    return nil
  }
}

/// What the driver says the hardware is, `ARPHRD_…`; all but a few look like Ethernet.
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
  /// Packets without any header before them, as modems send them.
  package static let rawIP: HardwareType = 519
  package static let loopback: HardwareType = 772
  /// Radio frames: IEEE 802.11, and the same with what a receiver measured.
  package static let radios: Set<HardwareType> = [801, 802, 803]
  /// IPv6 over networks of sensors, `ARPHRD_6LOWPAN`.
  package static let lowPower: HardwareType = 825
  /// Nothing that has addresses, as tunnels and some modems.
  package static let none: HardwareType = 65534
}

/// The flags of a link, `IFF_…`.
package struct LinkFlags: OptionSet, Hashable, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// Administratively up, `IFF_UP`.
  package static let up = LinkFlags(rawValue: 1 << 0)
  /// `IFF_LOOPBACK`.
  package static let loopback = LinkFlags(rawValue: 1 << 3)
  /// One other end and no link-layer addresses, `IFF_POINTOPOINT`.
  package static let pointToPoint = LinkFlags(rawValue: 1 << 4)
  /// Operational, `IFF_RUNNING`.
  package static let running = LinkFlags(rawValue: 1 << 6)
  /// The lower layer has a carrier, `IFF_LOWER_UP`.
  package static let lowerUp = LinkFlags(rawValue: 1 << 16)
  /// Waits for an outside event, `IFF_DORMANT`.
  package static let dormant = LinkFlags(rawValue: 1 << 17)
}

/// The operational state of RFC 2863, `IF_OPER_…`.
package struct OperationalState: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  /// The driver does not tell; normal for loopback, PPP, cellular and tunnels.
  package static let unknown = OperationalState(rawValue: 0)
  package static let notPresent = OperationalState(rawValue: 1)
  package static let down = OperationalState(rawValue: 2)
  package static let lowerLayerDown = OperationalState(rawValue: 3)
  package static let testing = OperationalState(rawValue: 4)
  package static let dormant = OperationalState(rawValue: 5)
  package static let up = OperationalState(rawValue: 6)
}

/// The family that a message is about, `AF_…`.
package struct AddressFamily: RawRepresentable, Hashable, Sendable {
  package let rawValue: UInt8

  package init(rawValue: UInt8) {
    self.rawValue = rawValue
  }

  package static let unspecified = AddressFamily(rawValue: 0)
  package static let ipv4 = AddressFamily(rawValue: 2)
  package static let bridge = AddressFamily(rawValue: 7)
  package static let ipv6 = AddressFamily(rawValue: 10)
}
#endif
