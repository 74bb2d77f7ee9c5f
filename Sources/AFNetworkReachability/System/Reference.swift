#if !os(watchOS)
import Dispatch
import Foundation
import SystemConfiguration

/// A reachability reference of the system's, which threads share.
///
/// All calls of SystemConfiguration are here.
// Safe to share: a reference may be used from any thread, and never changes but for its callback and schedule, which
// only `Followers` sets.
struct Reference: @unchecked Sendable {
  private let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }

  /// Makes a reference of a host's name; `nil` if it is empty.
  init?(domain: String) {
    guard let target = unsafe SCNetworkReachabilityCreateWithName(nil, domain) else { return nil }
    self.target = target
  }

  /// Makes a reference of a socket address; `nil` if it is neither IPv4 nor IPv6.
  init?(address: UnsafeRawPointer) {
    let address = unsafe address.assumingMemoryBound(to: sockaddr.self)
    guard let target = unsafe SCNetworkReachabilityCreateWithAddress(nil, address) else { return nil }
    self.target = target
  }

  /// Makes a reference of the default path: that of `::` is for IPv4, too.
  static func makeDefaultPath() -> Reference? {
    var address = sockaddr_in6()
    address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    address.sin6_family = sa_family_t(AF_INET6)
    return unsafe withUnsafeBytes(of: address) { bytes in
      unsafe bytes.baseAddress.flatMap { unsafe Reference(address: $0) }
    }
  }

  /// Which one it is: references are equal only to themselves.
  var id: ObjectIdentifier { ObjectIdentifier(target) }

  /// The flags as they are now, or `nil` if the system cannot tell.
  var flags: SCNetworkReachabilityFlags? {
    var flags = SCNetworkReachabilityFlags()
    return unsafe SCNetworkReachabilityGetFlags(target, &flags) ? flags : nil
  }

  /// Begins to tell the followers of changes, on a queue.
  ///
  /// - Returns: `false` if it can't be put on the queue, for one because its owner has scheduled it himself already.
  func beginTelling(on queue: DispatchQueue) -> Bool {
    // It needs no context: the reference says whom to tell. So nothing can be gone that a late call would use.
    _ = unsafe SCNetworkReachabilitySetCallback(
      target, { target, flags, _ in Followers.shared.tell(flags, of: Reference(target)) }, nil)
    return SCNetworkReachabilitySetDispatchQueue(target, queue)
  }

  /// Ceases to tell.
  func endTelling(isOnQueue: Bool) {
    if isOnQueue { _ = SCNetworkReachabilitySetDispatchQueue(target, nil) }
    _ = SCNetworkReachabilitySetCallback(target, nil, nil)
  }
}
#endif
