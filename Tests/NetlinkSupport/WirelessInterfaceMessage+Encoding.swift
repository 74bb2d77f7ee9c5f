// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension WirelessInterfaceMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    header.encode(into: &encoder)
    if let index { encoder.attribute(WirelessAttribute.index, integer: index) }
    if let type { encoder.attribute(WirelessAttribute.type, integer: type.rawValue) }
  }
}
#endif
