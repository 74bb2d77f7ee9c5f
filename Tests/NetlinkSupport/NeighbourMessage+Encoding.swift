// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension NeighbourMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.appendZeros(3)
    encoder.append(index)
    encoder.append(state.rawValue)
    encoder.append(flags)
    encoder.append(kind.rawValue)
    if let destination { encoder.attribute(NeighbourAttribute.destination, address: destination) }
    if let hardwareAddress {
      encoder.attribute(NeighbourAttribute.hardwareAddress, bytes: hardwareAddress)
    }
    if let sinceChange {
      var ages = MessageEncoder()
      ages.appendZeros(8)
      ages.append(sinceChange)
      ages.appendZeros(4)
      encoder.attribute(NeighbourAttribute.ages, bytes: ages.bytes)
    }
  }
}
#endif
