// SPDX-License-Identifier: Apache-2.0
import Foundation

@testable import ReachabilityKit
@testable import SystemConfigurationFunctions

extension Check {
  /// Addresses as programs pass them to the system.
  static let sockets = [
    Check("SocketAddress") { bytes throws(Finding) in
      // Exactly the size of its family, so that reads beyond it are detected.
      let family = bytes.prefix(2).reversed().reduce(0) { $0 << 8 | CInt($1) }
      let size = family == AF_INET6 ? 28 : 16
      let padded = Array((bytes + [UInt8](repeating: 0, count: size)).prefix(size))
      let read = unsafe padded.withUnsafeBytes { bytes in
        unsafe bytes.baseAddress.flatMap { unsafe SocketAddress($0.assumingMemoryBound(to: sockaddr.self)) }
      }
      try expect((read != nil) == (family == AF_INET || family == AF_INET6), "family \(family)")
      guard let read else { return }
      let octets = family == AF_INET ? padded[4..<8] : padded[8..<24]
      try expect(read.address.octets == Array(octets), "\(read.address) is not \(octets)")
      let scope = padded.dropFirst(24).reversed().reduce(0) { $0 << 8 | UInt32($1) }
      try expect(read.scope == scope, "scope \(read.scope) is not \(scope)")
    },
    Check(text: "SocketText") { text throws(Finding) in
      // C text ends at a zero.
      guard !text.utf8.contains(0), let read = SocketAddress(text: text) else { return }
      try expect(read.scope == 0 || text.utf8.contains(UInt8(ascii: "%")), "\(read) has a zone without a %")
      let again = SocketAddress(text: read.address.description)
      try expect(again?.address == read.address && again?.scope == 0, "\(read.address) is not read back")
    },
  ]
}
