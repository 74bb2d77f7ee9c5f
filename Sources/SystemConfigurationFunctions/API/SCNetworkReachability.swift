// SPDX-License-Identifier: Apache-2.0
public import CoreFoundation
public import Foundation
import ReachabilityKit
import Synchronization

/// A target of reachability queries and observations: the default path, an address, an address pair or a name.
///
/// ``SCNetworkReachabilityCreateWithAddress(_:_:)`` and the other two functions of this kind create targets. All
/// functions may be called from any thread. Two targets are never equal, even if they have the same subject.
///
/// The Apple symbol is `SCNetworkReachabilityRef`.
public final class SCNetworkReachability {
  /// The place where the callback is scheduled.
  enum Schedule: Sendable {
    case queue(Subscription)
    /// One source for all run loops. The list has each place as often as it was scheduled.
    case runLoops(RunLoopSource, [RunLoopSource.Place], Subscription)
  }

  struct State: Sendable {
    var machine: CallbackMachine
    var callback: Callback?
    var schedule: Schedule?
    /// Whether a run loop's callback is due.
    var isPending = false
  }

  let subject: Subject
  /// The monitor of the target's network, `nil` for the shared one.
  private let ownMonitor: ReachabilityMonitor?
  let state: Mutex<State>

  init(_ subject: Subject) {
    self.subject = subject
    ownMonitor = ReachabilityMonitor.substitute
    state = Mutex(State(machine: CallbackMachine(subject)))
  }

  /// Returns the target's monitor, or `nil` if the kernel cannot be queried.
  func currentMonitor() -> ReachabilityMonitor? {
    ownMonitor ?? (try? ReachabilityMonitor.availableShared())
  }
}

// Core Foundation's functions for any object, for the one kind that this module adds. Core Foundation's own do not
// accept Swift's classes.

/// Returns the type of a target, the same as ``SCNetworkReachabilityGetTypeID()``.
public func CFGetTypeID(_ target: SCNetworkReachability!) -> CFTypeID {
  SCNetworkReachabilityGetTypeID()
}

/// Returns a description of a target in the form of Apple's.
public func CFCopyDescription(_ target: SCNetworkReachability!) -> CFString! {
  target.description as CFString
}

/// Returns whether two targets are the same object, the only way in which targets are equal.
public func CFEqual(_ one: SCNetworkReachability!, _ other: SCNetworkReachability!) -> Bool {
  one === other
}

/// Returns a hash value, which equal targets share.
public func CFHash(_ target: SCNetworkReachability!) -> CFHashCode {
  CFHashCode(bitPattern: ObjectIdentifier(target))
}

// The same for objects whose static type is unknown. Core Foundation's own functions know no type for a target, or end
// the program. A file that imports Core Foundation by itself finds both, and uses those.

/// Returns the type of an object.
@_disfavoredOverload
public func CFGetTypeID(_ object: CFTypeRef!) -> CFTypeID {
  object is SCNetworkReachability ? SCNetworkReachabilityGetTypeID() : CoreFoundation.CFGetTypeID(object)
}

/// Returns whether two objects are equal; two different targets never are.
@_disfavoredOverload
public func CFEqual(_ one: CFTypeRef!, _ other: CFTypeRef!) -> Bool {
  if one is SCNetworkReachability || other is SCNetworkReachability { return one === other }
  return CoreFoundation.CFEqual(one, other)
}

/// Returns a hash value, which equal objects share.
@_disfavoredOverload
public func CFHash(_ object: CFTypeRef!) -> CFHashCode {
  (object as? SCNetworkReachability).map { CFHash($0) } ?? CoreFoundation.CFHash(object)
}

// On Linux neither Foundation has these two. Swift counts references itself, so an object is all that they return.

/// Returns a value as an object of Core Foundation.
///
/// The Apple symbol is `CFBridgingRetain`.
public func CFBridgingRetain(_ X: Any?) -> CFTypeRef? { X.map { $0 as AnyObject } }

/// Returns an object of Core Foundation as a value.
///
/// The Apple symbol is `CFBridgingRelease`.
public func CFBridgingRelease(_ X: CFTypeRef?) -> Any? { X }

/// Equality by identity, as ``CFEqual(_:_:)`` and ``CFHash(_:)`` have it; on Apple platforms, every type of Core
/// Foundation conforms.
extension SCNetworkReachability: Hashable {
  /// Returns whether two targets are the same object.
  public static func == (one: SCNetworkReachability, other: SCNetworkReachability) -> Bool {
    one === other
  }

  /// Adds the target's identity to a hasher.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}

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

extension SCNetworkReachability: CustomStringConvertible {
  /// The target in the form of Apple's descriptions, such as `<SCNetworkReachability 0x… [0x…]> {name = example.com}`.
  public var description: String {
    let (reading, isResolving, callback) = state.withLock {
      ($0.machine.reading, $0.machine.isResolving, $0.callback)
    }
    var text = subject.label
    if case .address = subject.kind {
    } else if reading != nil {
      let addresses = reading.map(\.addresses) ?? []
      let found = addresses.isEmpty ? "no addresses" : addresses.joined(separator: ", ")
      text += isResolving ? " (DNS query active)" : " (complete, \(found))"
    }
    if let reading {
      let flags = String(reading.flags?.rawValue ?? 0, radix: 16)
      let digits = String(repeating: "0", count: 8 - flags.count) + flags
      text += ", flags = 0x\(digits), if_index = \(reading.interface)"
    }
    // The program's own code, called under no lock.
    if let context = callback?.contextDescription { text += ", context = \(context)" }
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    let allocator = kCFAllocatorSystemDefault.map { UInt(bitPattern: ObjectIdentifier($0)) } ?? 0
    return "<SCNetworkReachability 0x\(address) [0x\(String(allocator, radix: 16))]> {\(text)}"
  }
}

/// Reads the current flags of a target.
///
/// It never waits for a network. A name that is not scheduled is not looked up: its flags are those of the default
/// path, where it may be reachable. The flags of a scheduled target are the ones that its callback receives.
///
/// - Parameters:
///   - target: The target.
///   - flags: Receives the flags.
/// - Returns: `true`, even for an unreachable target, whose flags say so. `false`, with the status
///   `kSCStatusReachabilityUnknown`, only if the kernel cannot be queried.
///
/// The Apple symbol is `SCNetworkReachabilityGetFlags`.
@discardableResult
public func SCNetworkReachabilityGetFlags(
  _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
  guard let read = target.readFlags() else { return fail(kSCStatusReachabilityUnknown) }
  unsafe flags.pointee = read
  return true
}

extension SCNetworkReachability {
  fileprivate func readFlags() -> SCNetworkReachabilityFlags? {
    let (isScheduled, known) = state.withLock { state -> (Bool, SCNetworkReachabilityFlags?) in
      (state.schedule != nil, state.schedule == nil ? nil : state.machine.readFlags())
    }
    if isScheduled { return known }
    return currentMonitor().flatMap {
      subject.unscheduledReading(subject.unscheduledStatus(in: $0)).flags
    }
  }
}

/// A target that others may release.
// Safe to share, as the next type.
struct WeakTarget: @unchecked Sendable {
  weak var target: SCNetworkReachability?
}

/// A target that other threads hold.
// Safe to share: everything mutable in a target is in its Mutex. The class is not `Sendable` because Apple's is not.
struct SharedTarget: @unchecked Sendable {
  let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }
}
