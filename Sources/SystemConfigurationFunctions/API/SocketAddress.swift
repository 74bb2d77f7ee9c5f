// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityKit

/// The address of a C socket address, without its port.
struct SocketAddress: CustomStringConvertible {
  var address: ReachabilityAddress
  /// The index of the address's interface, 0 for none.
  var scope: UInt32 = 0

  /// Reads a socket address; `nil` if its family is neither `AF_INET` nor `AF_INET6`.
  init?(_ pointer: UnsafePointer<sockaddr>) {
    switch unsafe Int32(pointer.pointee.sa_family) {
    case AF_INET:
      let socket = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in.self)
      address = .v4(.init(rawValue: UInt32(bigEndian: socket.sin_addr.s_addr)))
    case AF_INET6:
      let socket = unsafe UnsafeRawPointer(pointer).loadUnaligned(as: sockaddr_in6.self)
      let octets = unsafe withUnsafeBytes(of: socket.sin6_addr) { unsafe Array($0) }
      guard let read = ReachabilityAddress(octets: octets) else { return nil }
      address = read
      scope = socket.sin6_scope_id
    default:
      return nil
    }
  }

  /// Parses a text: IPv4 in the forms of `inet_aton`, or IPv6, with an optional zone.
  init?(text: String) {
    var old = in_addr()
    if unsafe inet_aton(text, &old) != 0 {
      address = .v4(.init(rawValue: UInt32(bigEndian: old.s_addr)))
      return
    }
    let parts = text.split(separator: "%", maxSplits: 1, omittingEmptySubsequences: false)
    guard let read = parts.first.flatMap({ ReachabilityAddress.V6($0) }) else { return nil }
    address = .v6(read)
    guard parts.count == 2 else { return }
    let index = unsafe if_nametoindex(String(parts[1]))
    scope = UInt32(parts[1]) ?? index
  }

  /// The target of a connection to this address.
  var target: ReachabilityTarget {
    .address(address, zone: scope == 0 ? nil : .index(Int(scope)))
  }

  /// Whether this is in `127.0.0.0/8`.
  var isIPv4Loopback: Bool { address.bitWidth == 32 && address.isLoopback }

  /// The address, with its interface's name if it has one: `fe80::1%eth0`.
  var description: String {
    guard scope != 0 else { return address.description }
    var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
    guard unsafe if_indextoname(scope, &name) != nil else { return "\(address)%\(scope)" }
    let letters = name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
    return "\(address)%\(String(decoding: letters, as: UTF8.self))"
  }
}
