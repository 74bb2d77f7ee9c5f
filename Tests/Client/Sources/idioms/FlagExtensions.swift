// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

extension SCNetworkReachabilityFlags: @retroactive CustomStringConvertible {
  /// The names of the flags.
  public var description: String {
    let names: [(SCNetworkReachabilityFlags, String)] = [
      (.transientConnection, "transientConnection"), (.reachable, "reachable"),
      (.connectionRequired, "connectionRequired"), (.connectionOnTraffic, "connectionOnTraffic"),
      (.interventionRequired, "interventionRequired"), (.connectionOnDemand, "connectionOnDemand"),
      (.isLocalAddress, "isLocalAddress"), (.isDirect, "isDirect"),
    ]
    return names.compactMap { contains($0.0) ? $0.1 : nil }.joined(separator: ",")
  }
}

extension SCNetworkReachabilityFlags {
  static let automatic: SCNetworkReachabilityFlags = [.connectionOnTraffic, .connectionOnDemand]

  var isReachableFlagSet: Bool { return contains(.reachable) }
  var isConnectionRequiredAndTransientFlagSet: Bool {
    return intersection([.connectionRequired, .transientConnection]) == [.connectionRequired, .transientConnection]
  }
  var isUsable: Bool {
    let canConnect = !isDisjoint(with: .automatic)
    return contains(.reachable) && (!contains(.connectionRequired) || canConnect && !contains(.interventionRequired))
  }
  mutating func forgetPlace() { subtract([.isDirect, .isLocalAddress]) }
}

enum Link: String {
  case none, waiting, cellular, local, direct, routed
}

/// Flags in a switch, by value and by condition.
func link(_ flags: SCNetworkReachabilityFlags) -> Link {
  switch flags {
  case []: return .none
  case .reachable: return .routed
  case [.reachable, .isDirect]: return .direct
  case _ where !flags.contains(.reachable): return .none
  case let waiting where waiting.contains(.connectionRequired): return .waiting
  #if os(iOS) || os(Linux)
  case let flags where flags.contains(SCNetworkReachabilityFlags.isWWAN): return .cellular
  #endif
  case let flags where flags.isSuperset(of: [.isLocalAddress, .isDirect]): return .local
  default: return .routed
  }
}

/// Reads flags through a pointer, and as numbers.
func readFlags(of host: String) -> [String] {
  guard let target = host.withCString({ SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, $0) }) else { return [] }
  var flags: SCNetworkReachabilityFlags = SCNetworkReachabilityFlags(rawValue: 0)
  let isRead = withUnsafeMutablePointer(to: &flags) { SCNetworkReachabilityGetFlags(target, UnsafeMutablePointer($0)) }
  let pointer = UnsafeMutablePointer<SCNetworkReachabilityFlags>.allocate(capacity: 1)
  pointer.initialize(to: SCNetworkReachabilityFlags())
  defer { pointer.deallocate() }
  let isReadAgain = SCNetworkReachabilityGetFlags(target, pointer)
  let isReachable = (flags.rawValue & SCNetworkReachabilityFlags.reachable.rawValue) != 0
  let needsConnection = flags.rawValue & UInt32(kSCNetworkFlagsConnectionRequired) != 0
  let old: SCNetworkConnectionFlags = flags.rawValue
  var place = flags
  place.forgetPlace()
  return [
    "\(flags)", String(describing: place), String(format: "%08x", old), link(flags).rawValue,
    "\(isRead && isReadAgain && pointer.pointee == flags && isReachable && !needsConnection)",
    "\(flags.isReachableFlagSet) \(flags.isUsable) \(flags.isConnectionRequiredAndTransientFlagSet)",
    "\(flags.symmetricDifference(.reachable).rawValue) \(flags.union(.connectionRequired).isUsable)",
    "\(SCNetworkReachabilityFlags.automatic.union([.reachable, .connectionRequired]).isUsable)",
  ]
}

func linksOfFlags() -> [String] {
  let all: [SCNetworkReachabilityFlags] = [
    [], .reachable, [.reachable, .isDirect], [.reachable, .isLocalAddress, .isDirect], [.transientConnection],
    [.reachable, .connectionRequired, .transientConnection], [.reachable, .transientConnection],
  ]
  return all.map { link($0).rawValue }
}
