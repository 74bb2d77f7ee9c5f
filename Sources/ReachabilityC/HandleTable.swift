// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CReachability
import POSIX
import ReachabilityKit
import Synchronization

/// A number in the form of a pointer, never an address: one that is destroyed or invented finds nothing, where a
/// dereferenced one would end the process.
public typealias Handle = OpaquePointer

/// The objects that a C program has handles of.
final class HandleTable: Sendable {
  private let objects = Mutex<[UInt: any Sendable]>([:])
  /// The addresses of strings that are never freed.
  private let constants = Mutex<[String: UInt]>([:])
  private let sharedNumber = nextNumber()
  private let process = ProcessIdentity.current
  /// The table of a forked child, whose parent's table may have been locked by a thread that the child does not have.
  private let child = AtomicLazyReference<HandleTable>()

  private static let first = HandleTable()
  /// Counts across forks, so that a handle of the parent is none of the child's.
  private static let lastNumber = Atomic<UInt>(0)

  /// Returns a number for a handle, which is odd, so that it is the address of nothing.
  static func nextNumber() -> UInt { lastNumber.add(2, ordering: .relaxed).newValue + 1 }

  /// The table of this process.
  static var current: HandleTable {
    var table = first
    while table.process != .current { table = table.child.storeIfNil(HandleTable()) }
    return table
  }

  /// The handle of the monitor that the process shares, of the network namespace in which this is first read.
  var shared: Handle? {
    _ = ReachabilityMonitor.shared
    return unsafe Handle(bitPattern: sharedNumber)
  }

  /// Stores an object, and returns its handle.
  func add(_ object: some Sendable, numbered number: UInt = nextNumber()) -> Handle? {
    objects.withLock { $0[number] = object }
    return unsafe Handle(bitPattern: number)
  }

  /// Returns the object of a handle; the caller releases one that is removed, outside of the lock.
  func object<Object: Sendable>(
    of handle: Handle?, as type: Object.Type = Object.self, removing: Bool = false
  ) throws(Failure) -> Object {
    let number = UInt(bitPattern: handle)
    let stored = objects.withLock { objects in
      let object = objects[number] as? Object
      if removing, object != nil { objects[number] = nil }
      return object
    }
    let isShared = number == sharedNumber
    let object = isShared ? ReachabilityMonitor.shared as? Object : stored
    if isShared, removing, object != nil { throw .invalid("the shared monitor is never destroyed") }
    if let object { return object }
    let problem = number == 0 ? "null" : "destroyed, of another type, or from before a fork"
    throw Failure(code: REACHABILITY_ERROR_INVALID_HANDLE, text: "the handle is \(problem)")
  }

  /// Returns the objects of two handles.
  func objects(of monitor: Handle?, _ target: Handle?) throws -> (ReachabilityMonitor, ReachabilityTarget) {
    unsafe (try object(of: monitor), try object(of: target))
  }

  /// Returns the numbers of the observations of a queue.
  func observations(of queue: EventQueue) -> [UInt] {
    objects.withLock { $0.filter { ($0.value as? Observation)?.queue === queue }.map(\.key) }
  }

  /// Returns a string that is never freed; there are as many as the library has names and words for reasons.
  func constant(_ text: String?) -> UnsafePointer<CChar>? {
    guard let text else { return nil }
    return unsafe constants.withLock { constants in
      if constants[text] == nil { constants[text] = unsafe UInt(bitPattern: strdup(text)) }
      return unsafe constants[text].flatMap { unsafe UnsafePointer(bitPattern: $0) }
    }
  }
}
