// SPDX-License-Identifier: Apache-2.0
#if (canImport(Darwin) && !os(watchOS)) || APPLE_DOOR
import CLibrary
import InternetProtocol
import SystemConfiguration

#if !canImport(Darwin)
import ReachabilityKit
#endif

/// The system's reachability functions, which return the present state without waiting.
///
/// They are deprecated since macOS 14.4 and iOS 17.4. No other function reports on an address without a connection to it.
enum ReachabilityFunctions {
  /// Returns the flags of the route to an address.
  ///
  /// - Parameters:
  ///   - remote: The address; an all-zero one stands for the default route of its family, `nil` for that of any.
  ///   - local: The source address of packets, if it matters.
  ///   - zone: The index of the interface of addresses that need a zone.
  /// - Returns: The flags; `nil` if the system returns none.
  ///
  /// The Apple symbols are `SCNetworkReachabilityCreateWithAddress`, `SCNetworkReachabilityCreateWithAddressPair` and
  /// `SCNetworkReachabilityGetFlags`.
  static func flags(
    to remote: ReachabilityAddress?, from local: ReachabilityAddress? = nil, zone: UInt32? = nil
  ) -> ReachabilityStatus.Flags? {
    guard local == nil, remote?.isUnspecified != true else {
      return unsafe withSocketAddress(remote, zone: zone) { remote in
        unsafe withSocketAddress(local, zone: zone) { local in
          flags(of: unsafe SCNetworkReachabilityCreateWithAddressPair(nil, local, remote))
        }
      }
    }
    // An all-zero address that is not one of a pair stands for the default route of any family.
    return unsafe withSocketAddress(remote ?? "0.0.0.0", zone: zone) { remote in
      guard let remote = unsafe remote else { return nil }
      return flags(of: unsafe SCNetworkReachabilityCreateWithAddress(nil, remote))
    }
  }

  private static func flags(of target: SCNetworkReachability?) -> ReachabilityStatus.Flags? {
    var flags = SCNetworkReachabilityFlags()
    guard let target, unsafe SCNetworkReachabilityGetFlags(target, &flags) else { return nil }
    return ReachabilityStatus.Flags(rawValue: flags.rawValue)
  }

  /// Returns the present index of an interface, or `nil` if there is no such interface.
  static func index(of interface: ReachabilityTarget.Interface) -> UInt32? {
    switch interface {
    case .name(let name):
      let index = unsafe if_nametoindex(name)
      return index > 0 ? index : nil
    case .bytes(let bytes):
      let name = bytes.map { CChar(bitPattern: $0) } + [0]
      let index = unsafe if_nametoindex(name)
      return index > 0 ? index : nil
    case .index(let number):
      var name = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
      guard let index = UInt32(exactly: number), unsafe if_indextoname(index, &name) != nil else {
        return nil
      }
      return index
    }
  }
}

/// Calls a closure with an address as a socket address.
private func withSocketAddress<Result>(
  _ address: ReachabilityAddress?, zone: UInt32?, _ body: (UnsafePointer<sockaddr>?) -> Result
) -> Result {
  var storage = sockaddr_storage()
  switch address {
  case nil:
    return body(nil)
  case .v4(let number):
    var socket = sockaddr_in()
    socket.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    socket.sin_family = sa_family_t(AF_INET)
    socket.sin_addr.s_addr = number.rawValue.bigEndian
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: socket, as: sockaddr_in.self) }
  case .v6(let number):
    var socket = sockaddr_in6()
    socket.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    socket.sin6_family = sa_family_t(AF_INET6)
    socket.sin6_scope_id = address?.needsZone == true ? zone ?? 0 : 0
    unsafe withUnsafeMutableBytes(of: &socket.sin6_addr) {
      unsafe $0.storeBytes(of: number.rawValue.bigEndian, as: UInt128.self)
    }
    unsafe withUnsafeMutableBytes(of: &storage) { unsafe $0.storeBytes(of: socket, as: sockaddr_in6.self) }
  }
  return unsafe withUnsafePointer(to: &storage) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
  }
}
#endif

#if canImport(Darwin) || APPLE_DOOR
extension ReachabilityStatus {
  /// Makes a status from the system's flags, which contain no reason.
  ///
  /// A connection that traffic establishes on demand counts as established.
  init(_ flags: Flags, over interface: ReachabilityInterface?) {
    let isMadeByTraffic =
      !flags.isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
      && !flags.contains(.interventionRequired)
    if !flags.contains(.reachable) {
      self.init(.notReachable, reason: .noRoute, flags: flags)
    } else if flags.contains(.connectionRequired), !isMadeByTraffic {
      self.init(.notReachable, reason: .linkDormant, flags: flags)
    } else {
      self.init(.reachable, flags: flags, interface: interface)
    }
  }
}
#endif
