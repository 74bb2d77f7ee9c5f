// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink
import PacketTrace

extension TraceMessage {
  /// Appends the message's payload, as the kernel would send it.
  package func encode(into encoder: inout MessageEncoder) {
    encoder.append(family.rawValue)
    encoder.appendZeros(3)
    if let id { encoder.attribute(TraceAttribute.id, integer: id.bigEndian) }
    encoder.attribute(TraceAttribute.chain, bytes: chain + [0])
    encoder.attribute(TraceAttribute.table, bytes: table + [0])
    if let rule { encoder.attribute(TraceAttribute.rule, integer: rule.bigEndian) }
    if let verdict {
      encoder.nest(TraceAttribute.verdict) { nested in
        nested.attribute(VerdictAttribute.code, integer: verdict.code.bigEndian)
        if let chain = verdict.chain { nested.attribute(VerdictAttribute.chain, bytes: chain + [0]) }
      }
    }
    if let policy { encoder.attribute(TraceAttribute.policy, integer: policy.bigEndian) }
    encoder.attribute(TraceAttribute.networkHeader, bytes: networkHeader)
    encoder.attribute(TraceAttribute.transportHeader, bytes: transportHeader)
  }
}
#endif
