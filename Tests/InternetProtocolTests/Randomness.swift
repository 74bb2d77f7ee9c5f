// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import TestSupport

extension ReachabilityAddress {
  static func random(bitWidth: Int, using generator: inout SeededGenerator) -> ReachabilityAddress {
    bitWidth == 32
      ? .v4(.init(rawValue: .random(in: 0 ... .max, using: &generator)))
      : .v6(.init(rawValue: .random(in: 0 ... .max, using: &generator)))
  }
}

extension ReachabilityAddress.V6 {
  /// Returns an address whose groups are often zero or short, because `::` is error-prone.
  static func sparse(using generator: inout SeededGenerator) -> ReachabilityAddress.V6 {
    var value: UInt128 = 0
    for _ in 0..<8 {
      let group: UInt16 =
        switch Int.random(in: 0..<6, using: &generator) {
        case 0...2: 0
        case 3: .random(in: 1...0xf, using: &generator)
        case 4: .max
        default: .random(in: 0 ... .max, using: &generator)
        }
      value = value << 16 | UInt128(group)
    }
    return ReachabilityAddress.V6(rawValue: value)
  }
}
