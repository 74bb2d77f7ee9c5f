// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import NetlinkSupport
import Testing

extension WireDecoder: CustomTestStringConvertible {
  package var testDescription: String { name }

  /// The decoder by its name.
  static func named(_ name: String) throws -> WireDecoder {
    try #require(all.first { $0.name == name })
  }
}
#endif
