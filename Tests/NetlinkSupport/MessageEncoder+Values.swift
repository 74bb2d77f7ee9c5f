// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

/// The values that only kernels and tests encode.
extension MessageEncoder {
  /// Appends an attribute whose value the closure encodes, including nested attributes.
  package mutating func attribute(_ type: UInt16, _ encode: (inout MessageEncoder) -> Void) {
    var value = MessageEncoder()
    encode(&value)
    attribute(type, bytes: value.bytes)
  }

  /// Appends an attribute whose value is an interface name with a terminating zero.
  package mutating func attribute(_ type: UInt16, name: InterfaceName) {
    attribute(type, bytes: name.octets + [0])
  }

  /// Appends an address in network order.
  package mutating func append(_ address: ReachabilityAddress) {
    append(address.octets)
  }

  /// Appends the bytes of another encoder.
  package mutating func append(_ other: MessageEncoder) {
    append(other.bytes)
  }

  /// Appends bytes.
  package mutating func append(_ bytes: some Collection<UInt8>) {
    for byte in bytes { append(byte) }
  }

  /// Appends the eight bits of a header for a table; larger numbers become `RT_TABLE_COMPAT`.
  package mutating func appendTable(_ table: UInt32) {
    append(UInt8(exactly: table) ?? 252)
  }
}
#endif
