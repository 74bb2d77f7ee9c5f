// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import Foundation
import SystemConfiguration

extension SystemTarget {
  /// Stands for every target that the system refused; it is never scheduled.
  static let refused = SystemTarget(name: "refused.invalid")

  /// Creates a target of the default path: the address `::` stands for IPv4, too.
  static func makeDefaultPath() -> SystemTarget? {
    var address = sockaddr_in6()
    address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    address.sin6_family = sa_family_t(AF_INET6)
    return unsafe withUnsafePointer(to: address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe SystemTarget($0) }
    }
  }
}
#endif
