#if os(Linux)
import Netlink

extension AddressMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.append(prefixLength)
    encoder.append(UInt8(truncatingIfNeeded: flags.rawValue))
    encoder.append(scope)
    encoder.append(index)
    if let address { encoder.attribute(AddressAttribute.address, address: address) }
    if let local { encoder.attribute(AddressAttribute.local, address: local) }
    if let broadcast { encoder.attribute(AddressAttribute.broadcast, address: broadcast) }
    if let label { encoder.attribute(AddressAttribute.label, text: label) }
    encoder.attribute(AddressAttribute.flags, integer: flags.rawValue)
    if let lifetime {
      encoder.attribute(AddressAttribute.lifetime) {
        $0.append(lifetime.preferredSeconds)
        $0.append(lifetime.validSeconds)
        $0.append(lifetime.created)
        $0.append(lifetime.updated)
      }
    }
    encoder.append(unknown)
  }
}
#endif
