// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CReachability
import POSIX
import ReachabilityKit
import Synchronization

/// The objects that a C program has handles of.
///
/// A handle is a number in the form of a pointer, never an address: one that is destroyed or invented finds nothing,
/// where a dereferenced one would end the process.
@safe final class HandleTable: Sendable {
  private let objects = Mutex<[UInt: any AnyObject & Sendable]>([:])
  private let constants = unsafe Mutex<[String: OpaquePointer]>([:])
  private let shared = Mutex<UInt>(0)
  private let process = ProcessIdentity.current
  /// The table of a forked child, whose parent's table may have been locked by a thread that the child does not have.
  private let child = AtomicLazyReference<HandleTable>()

  private static let first = HandleTable()
  /// Counts across forks, so that a handle of the parent is none of the child's.
  private static let lastNumber = Atomic<UInt>(0)

  private init() {}

  /// The table of this process.
  static var current: HandleTable {
    var table = first
    while table.process != .current { table = table.child.storeIfNil(HandleTable()) }
    return table
  }

  /// The handle of the monitor that the process shares; `nil` before it is used.
  var knownSharedMonitor: OpaquePointer? { unsafe OpaquePointer(bitPattern: shared.withLock(\.self)) }

  /// The handle of the monitor that the process shares.
  var sharedMonitor: OpaquePointer? {
    let number = shared.withLock { number in
      if number == 0 { number = unsafe UInt(bitPattern: add(ReachabilityMonitor.shared)) }
      return number
    }
    return unsafe OpaquePointer(bitPattern: number)
  }

  /// Returns a number for a handle, which is odd, so that it is the address of nothing.
  static func nextNumber() -> UInt { lastNumber.add(2, ordering: .relaxed).newValue + 1 }

  /// Stores an object, and returns its handle.
  func add(_ object: some AnyObject & Sendable, numbered number: UInt = nextNumber()) -> OpaquePointer? {
    objects.withLock { $0[number] = object }
    return unsafe OpaquePointer(bitPattern: number)
  }

  /// Returns the object of a handle.
  func object<Object>(of handle: OpaquePointer?, as type: Object.Type = Object.self) throws(Failure) -> Object
  {
    let number = UInt(bitPattern: handle)
    guard let object = objects.withLock({ $0[number] }) as? Object else {
      throw Failure(
        REACHABILITY_ERROR_INVALID_HANDLE,
        "the handle is \(number == 0 ? "null" : "destroyed, of another type, or from before a fork")")
    }
    return object
  }

  /// Removes a handle and returns its object, which the caller releases outside of the lock.
  func remove<Object>(_ handle: OpaquePointer?, as type: Object.Type = Object.self) throws(Failure) -> Object
  {
    let object: Object = try unsafe object(of: handle)
    let number = UInt(bitPattern: handle)
    // Another thread may have removed it meanwhile.
    guard objects.withLock({ $0.removeValue(forKey: number) }) != nil else {
      throw Failure(REACHABILITY_ERROR_INVALID_HANDLE, "the handle is destroyed")
    }
    return object
  }

  /// Returns a string that is never freed; there are as many as the library has names and words for reasons.
  func constant(_ text: String) -> UnsafePointer<CChar>? {
    unsafe constants.withLock { constants in
      if let known = unsafe constants[text] { return unsafe UnsafePointer(known) }
      guard let copy = unsafe strdup(text) else { return nil }
      unsafe constants[text] = OpaquePointer(copy)
      return unsafe UnsafePointer(copy)
    }
  }
}

/// A target behind a handle.
final class Target: Sendable {
  let value: ReachabilityTarget

  init(_ value: ReachabilityTarget) { self.value = value }
}
