// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension RouterOption {
  /// Appends the payload of the message, without the router's address.
  package func encode(into encoder: inout MessageEncoder) {
    let value = captivePortal.map { bytes in
      // Type, length in units of eight bytes, and zeros at the end.
      let size = (bytes.count + 2 + 7) / 8 * 8
      return [37, UInt8(truncatingIfNeeded: size / 8)] + bytes
        + [UInt8](repeating: 0, count: size - 2 - bytes.count)
    }
    let options = value ?? []
    encoder.append(UInt8(10))
    encoder.append(UInt8(0))
    encoder.append(UInt16(options.count))
    encoder.append(index)
    encoder.append(UInt8(134))
    encoder.appendZeros(7)
    encoder.append(bytes: options)
  }
}
#endif
