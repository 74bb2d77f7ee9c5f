// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// An observer of a target on the main run loop, like common code for Apple platforms.
@available(macOS, introduced: 10.15, deprecated: 14.4, message: "for older systems")
@available(iOS, introduced: 13.0, deprecated: 17.4, message: "for older systems")
open class NetworkObserver: NSObject {
  public enum Connection: String {
    case none, wifi, cellular
  }

  private let reachability: SCNetworkReachability
  public var onChange: ((Connection) -> Void)?
  public private(set) var changes = 0

  public init?(hostname: String) {
    guard let reachability = SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, hostname) else {
      return nil
    }
    self.reachability = reachability
  }

  public override init() {
    var zeroAddress = sockaddr_in()
    zeroAddress.sin_len = UInt8(MemoryLayout.size(ofValue: zeroAddress))
    zeroAddress.sin_family = sa_family_t(AF_INET)
    reachability = withUnsafePointer(to: &zeroAddress) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        SCNetworkReachabilityCreateWithAddress(nil, $0)
      }
    }!
  }

  public init?(ipv6Loopback: Void) {
    var address = sockaddr_in6()
    address.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    guard
      let reachability = withUnsafePointer(
        to: &address,
        { pointer in
          pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            SCNetworkReachabilityCreateWithAddressPair(kCFAllocatorDefault, nil, $0)
          }
        })
    else { return nil }
    self.reachability = reachability
  }

  deinit {
    stop()
  }

  @discardableResult
  open func start() -> Bool {
    var context = SCNetworkReachabilityContext(
      version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    context.info = UnsafeMutableRawPointer(Unmanaged.passUnretained(self).toOpaque())
    let callback: SCNetworkReachabilityCallBack = { (_, flags, info) in
      guard let info = info else { return }
      let observer = Unmanaged<NetworkObserver>.fromOpaque(info).takeUnretainedValue()
      observer.changes += 1
      observer.onChange?(flags.connection)
    }
    guard SCNetworkReachabilitySetCallback(reachability, callback, &context) else { return false }
    return SCNetworkReachabilityScheduleWithRunLoop(
      reachability, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
  }

  open func stop() {
    SCNetworkReachabilitySetCallback(reachability, nil, nil)
    SCNetworkReachabilityUnscheduleFromRunLoop(
      reachability, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
  }

  public var connection: Connection? {
    var flags: SCNetworkReachabilityFlags = []
    guard SCNetworkReachabilityGetFlags(reachability, &flags) else { return nil }
    return flags.connection
  }
}

extension SCNetworkReachabilityFlags {
  fileprivate var connection: NetworkObserver.Connection {
    guard contains(.reachable) else { return .none }
    let needsConnection = contains(.connectionRequired)
    let connectsByItself = !intersection([.connectionOnDemand, .connectionOnTraffic]).isEmpty
    if needsConnection, !connectsByItself || contains(.interventionRequired) { return .none }
    #if os(iOS) || os(Linux)
    return contains(.isWWAN) ? .cellular : .wifi
    #else
    return .wifi
    #endif
  }

  var letters: String {
    let bits: [(SCNetworkReachabilityFlags, Character)] = [
      (.transientConnection, "t"), (.reachable, "R"), (.connectionRequired, "c"), (.connectionAutomatic, "C"),
      (.interventionRequired, "i"), (.connectionOnDemand, "D"), (.isLocalAddress, "l"), (.isDirect, "d"),
    ]
    return String(bits.map { contains($0.0) ? $0.1 : "-" })
  }
}
