// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension LinkMessage {
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
        if let kind { nested.attribute(LinkAttribute.Info.kind, text: kind) }
        if let kindData { nested.attribute(LinkAttribute.Info.data, bytes: kindData) }
        if let memberKind { nested.attribute(LinkAttribute.Info.memberKind, text: memberKind) }
      }
    }
    if let hardwareAddress { encoder.attribute(LinkAttribute.hardwareAddress, bytes: hardwareAddress) }
    if let parentDevice { encoder.attribute(LinkAttribute.parentDevice, text: parentDevice) }
    if let parentBus { encoder.attribute(LinkAttribute.parentBus, text: parentBus) }
    if let ipv6 {
      encoder.attribute(LinkAttribute.familySpecific) { nested in
        if ipv6 == .absent { return }
        nested.attribute(UInt16(AddressFamily.ipv6.rawValue)) { family in
          var settings = [UInt8](repeating: 0, count: 4 * LinkAttribute.IPv6.disabled)
          settings += ipv6 == .on ? [0, 0, 0, 0] : [1, 1, 1, 1]
          family.attribute(LinkAttribute.IPv6.settings, bytes: settings)
        }
      }
    }
    if isWirelessEvent { encoder.attribute(LinkAttribute.wireless, bytes: []) }
  }
}
#endif
