// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension StatisticsMessage {
  /// Appends the message's payload.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.appendZeros(4)
    encoder.append(index)
    encoder.append(groups)
    guard let received, let sent else { return }
    var value = MessageEncoder()
    value.append(received)
    value.append(sent)
    encoder.attribute(Self.counters, bytes: value.bytes)
  }
}
#endif
