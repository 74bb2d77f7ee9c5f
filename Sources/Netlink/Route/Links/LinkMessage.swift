#if os(Linux)
import InternetProtocol

/// A network interface as the kernel describes it.
///
/// A property absent from the message is `nil`, which for a change means *unchanged*: wireless events carry little more
/// than a name. The kernel messages are `RTM_NEWLINK` and `RTM_DELLINK`.
package struct LinkMessage: Hashable, Sendable {
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
  /// Whether this is a wireless event, which carries no other attribute than the name.
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
#endif
