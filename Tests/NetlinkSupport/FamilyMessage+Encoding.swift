// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension FamilyMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    header.encode(into: &encoder)
    if let id { encoder.attribute(FamilyAttribute.id, integer: id) }
    if let name { encoder.attribute(FamilyAttribute.name, text: name) }
  }
}
#endif
