public import CoreFoundation
public import Foundation
import ReachabilityKit

/// Creates a target for an address.
///
/// The address is copied; its port is ignored. An all-zero address, `0.0.0.0` or `::`, stands for the default path of
/// any family.
///
/// - Returns: The target; `nil`, with the status `kSCStatusInvalidArgument`, if the family is neither `AF_INET` nor
///   `AF_INET6`.
///
/// The Apple symbol is `SCNetworkReachabilityCreateWithAddress`.
@discardableResult
public func SCNetworkReachabilityCreateWithAddress(
  _ allocator: CFAllocator?, _ address: UnsafePointer<sockaddr>
) -> SCNetworkReachability? {
  guard let address = unsafe SocketAddress(address) else { return failToCreate() }
  return SCNetworkReachability(Subject(address))
}

/// Creates a target for a local and a remote address.
///
/// Without a local address the target is the remote address; an all-zero one stands for the default route of its family
/// only. Without a remote address the target is the default path from the local one. A local address in `127.0.0.0/8`
/// is ignored if the remote one is outside it. Ports are ignored.
///
/// - Returns: The target, which is unreachable while the local address does not belong to this machine; `nil`, with the
///   status `kSCStatusInvalidArgument`, without any address or for a family other than `AF_INET` and `AF_INET6`.
///
/// The Apple symbol is `SCNetworkReachabilityCreateWithAddressPair`.
@discardableResult
public func SCNetworkReachabilityCreateWithAddressPair(
  _ allocator: CFAllocator?, _ localAddress: UnsafePointer<sockaddr>?,
  _ remoteAddress: UnsafePointer<sockaddr>?
) -> SCNetworkReachability? {
  let local = unsafe localAddress.map { unsafe SocketAddress($0) }
  let remote = unsafe remoteAddress.map { unsafe SocketAddress($0) }
  switch (local, remote) {
  // A socket address of another family.
  case (.some(nil), _), (_, .some(nil)), (nil, nil): return failToCreate()
  case (let local??, let remote??):
    if local.isIPv4Loopback, !remote.isIPv4Loopback { return SCNetworkReachability(Subject(remote)) }
    return SCNetworkReachability(Subject(from: local, to: remote))
  case (let local??, nil): return SCNetworkReachability(Subject(from: local))
  case (nil, let remote??): return SCNetworkReachability(Subject(onlyRemote: remote))
  }
}

/// Creates a target for a host name.
///
/// The name is not looked up before the target is scheduled. An IPv4 address in any of the forms of `inet_aton`
/// (`127.1`, `0x7f000001`) or an IPv6 address with an optional zone (`fe80::1%eth0`) creates the same target as in
/// ``SCNetworkReachabilityCreateWithAddress(_:_:)``.
///
/// - Returns: The target, even for a text that no resolver can know; `nil`, with the status `kSCStatusInvalidArgument`,
///   if the name is empty.
///
/// The Apple symbol is `SCNetworkReachabilityCreateWithName`.
@discardableResult
public func SCNetworkReachabilityCreateWithName(
  _ allocator: CFAllocator?, _ nodename: UnsafePointer<CChar>
) -> SCNetworkReachability? {
  let name = unsafe String(cString: nodename)
  guard !name.isEmpty else { return failToCreate() }
  if let address = SocketAddress(text: name) { return SCNetworkReachability(Subject(address)) }
  return SCNetworkReachability(Subject(name: name))
}

/// Returns the type of all targets.
///
/// The Apple symbol is `SCNetworkReachabilityGetTypeID`.
@discardableResult
public func SCNetworkReachabilityGetTypeID() -> CFTypeID {
  // "SCNR": larger than Core Foundation's table of types, so no other type has this number.
  0x5343_4e52
}

private func failToCreate() -> SCNetworkReachability? {
  _ = fail(kSCStatusInvalidArgument)
  return nil
}

// MARK: - Subjects of the arguments

extension Subject {
  fileprivate init(_ address: SocketAddress) {
    let target = address.target
    let label = target.destination == .defaultRoute ? "default path" : "address = \(address)"
    self.init(.address(target), label: label)
  }

  /// A remote address alone stands for its own family, even if it is all zeros.
  fileprivate init(onlyRemote remote: SocketAddress) {
    var target = remote.target
    if target.destination == .defaultRoute { target.family = remote.address.family }
    self.init(.address(target), label: "remote address = \(remote)")
  }

  fileprivate init(from local: SocketAddress) {
    // Packets from a loopback address reach the loopback interface only.
    var target = local.address.isLoopback ? local.target : .defaultRoute
    if target.destination == .defaultRoute {
      target.source = local.address
      target.interface = local.target.interface
    }
    self.init(.address(target), label: "local address = \(local), default path")
  }

  fileprivate init(from local: SocketAddress, to remote: SocketAddress) {
    var target = remote.target
    if target.destination == .defaultRoute { target.family = remote.address.family }
    target.source = local.address
    if target.interface == nil { target.interface = local.target.interface }
    self.init(.address(target), label: "local address = \(local), remote address = \(remote)")
  }

  fileprivate init(name: String) {
    let label = "name = \(name)"
    do {
      self.init(.host(.host(try ReachabilityTarget.HostName(name))), label: label)
    } catch {
      self.init(.impossibleName, label: label)
    }
  }
}
