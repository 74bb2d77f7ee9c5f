// SPDX-License-Identifier: Apache-2.0
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

/// A simulated network, and the targets in it.
struct Simulation {
  let network = SimulatedNetwork(.notReachable(.noRoute))
  let monitor: ReachabilityMonitor

  init() {
    monitor = ReachabilityMonitor(simulating: network)
  }

  /// Creates a target in this network.
  func make(_ make: () -> SCNetworkReachability?) throws -> SCNetworkReachability {
    let target = ReachabilityMonitor.$substitute.withValue(monitor, operation: make)
    return try #require(target)
  }

  func address(_ text: String) throws -> SCNetworkReachability {
    try make { unsafe withSocketAddress(text) { unsafe SCNetworkReachabilityCreateWithAddress(nil, $0) } }
  }

  func name(_ name: String) throws -> SCNetworkReachability {
    try make { unsafe SCNetworkReachabilityCreateWithName(nil, name) }
  }

  func pair(_ local: String?, _ remote: String?) throws -> SCNetworkReachability {
    try make { createPair(local, remote) }
  }
}

/// Creates a pair from two addresses in text form.
func createPair(_ local: String?, _ remote: String?) -> SCNetworkReachability? {
  unsafe withOptionalSocketAddress(local) { local in
    unsafe withOptionalSocketAddress(remote) { remote in
      unsafe SCNetworkReachabilityCreateWithAddressPair(nil, local, remote)
    }
  }
}

/// Passes a C socket address to a closure; `nil` for none.
private func withOptionalSocketAddress<T>(_ text: String?, _ body: (UnsafePointer<sockaddr>?) -> T) -> T {
  guard let text else { return body(nil) }
  return unsafe withSocketAddress(text) { unsafe body($0) }
}

/// Passes a C socket address to a closure.
func withSocketAddress<T>(_ text: String, port: UInt16 = 0, _ body: (UnsafePointer<sockaddr>) -> T) -> T {
  var storage = sockaddr_storage()
  let parts = text.split(separator: "%")
  unsafe withUnsafeMutableBytes(of: &storage) { bytes in
    if text.contains(":") {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      _ = unsafe inet_pton(AF_INET6, String(parts[0]), &address.sin6_addr)
      if parts.count == 2 { address.sin6_scope_id = UInt32(parts[1]) ?? 0 }
      unsafe bytes.storeBytes(of: address, as: sockaddr_in6.self)
    } else {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      _ = unsafe inet_pton(AF_INET, text, &address.sin_addr)
      unsafe bytes.storeBytes(of: address, as: sockaddr_in.self)
    }
  }
  return unsafe withUnsafePointer(to: &storage) { pointer in
    unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
  }
}

/// Returns the flags of a target, `nil` if they are unknown.
func flags(of target: SCNetworkReachability) -> UInt32? {
  var flags = SCNetworkReachabilityFlags()
  return unsafe SCNetworkReachabilityGetFlags(target, &flags) ? flags.rawValue : nil
}

extension ReachabilityStatus {
  /// Behind a gateway, over a wired interface.
  static let routed = ReachabilityStatus(
    .reachable, flags: .reachable, interface: ReachabilityInterface(name: "eth0", index: 2, kind: .wired),
    gateway: "10.1.0.254", source: "10.1.0.1")

  /// The same flags over another interface.
  static let otherRouted = ReachabilityStatus(
    .reachable, flags: .reachable, interface: ReachabilityInterface(name: "eth1", index: 3, kind: .wired),
    gateway: "10.2.0.254", source: "10.2.0.1")

  /// On the link.
  static let link = ReachabilityStatus(
    .reachable, flags: [.reachable, .isDirect],
    interface: ReachabilityInterface(name: "eth0", index: 2, kind: .wired), source: "10.1.0.1")

  /// Over a cellular link.
  static let cellular = ReachabilityStatus.reachable(over: .cellular)

  static let noRoute = ReachabilityStatus.notReachable(.noRoute)

  static let resolving = ReachabilityStatus.unknown(.resolving)

  /// Returns the status of a host with these addresses.
  func with(_ addresses: String...) -> ReachabilityStatus {
    var status = self
    status.addresses = addresses.compactMap { text in
      ReachabilityAddress(text).map { ReachabilityStatus.ResolvedAddress($0, status: self) }
    }
    return status
  }
}
