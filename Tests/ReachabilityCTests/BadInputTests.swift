// SPDX-License-Identifier: Apache-2.0
import CReachability
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

@testable import ReachabilityC

/// A guest in another program survives whatever it is given.
@Suite(.deadline) struct BadInputTests {
  /// Null, invented, and destroyed handles, and one of another type.
  private static let wrong: [Handle] = {
    let target = unsafe Handle(reachability_target_create("10.9.0.1", nil))
    _ = unsafe reachability_target_destroy(target.pointer)
    let invented = [8, UInt.max, 0x7fff_dead_beef].map { unsafe Handle(OpaquePointer(bitPattern: $0)) }
    return unsafe [Handle(nil)] + invented + [target, Handle(reachability_queue_create())]
  }()

  @Test func `every function refuses every wrong handle, and says why`() throws {
    let monitor = unsafe reachability_monitor_shared()
    let target = unsafe reachability_target_create("127.0.0.1", nil)
    let queue = unsafe reachability_queue_create()
    let refused = REACHABILITY_ERROR_INVALID_HANDLE
    func expectRefusal(_ pointer: OpaquePointer?, _ location: SourceLocation = #_sourceLocation) {
      #expect(unsafe pointer == nil && reachability_last_error() == refused, sourceLocation: location)
      #expect(lastError().hasPrefix("the handle is "), sourceLocation: location)
    }
    for handle in Self.wrong {
      let wrong = unsafe handle.pointer
      var status = unsafe reachability_status.sized
      var path = unsafe reachability_path.sized
      var evidence = unsafe reachability_evidence.sized
      #expect(unsafe reachability_current_status(wrong, target, &status) == refused)
      #expect(unsafe reachability_current_status(monitor, wrong, &status) == refused)
      #expect(unsafe reachability_wait_until_known(wrong, target, 0, &status) == refused)
      #expect(unsafe reachability_wait_until_known(monitor, wrong, 0, &status) == refused)
      #expect(unsafe reachability_wait_until_reachable(wrong, target, 0, nil) == refused)
      #expect(unsafe reachability_wait_until_reachable(monitor, wrong, 0, nil) == refused)
      #expect(unsafe reachability_current_path(wrong, &path) == refused)
      #expect(unsafe reachability_current_evidence(wrong, target, &evidence) == refused)
      #expect(unsafe reachability_current_evidence(monitor, wrong, &evidence) == refused)
      #expect(unsafe reachability_explain(wrong, target, REACHABILITY_TEXT) == nil)
      #expect(unsafe reachability_explain(monitor, wrong, REACHABILITY_TEXT) == nil)
      #expect(unsafe reachability_path_json(wrong) == nil)
      #expect(unsafe reachability_observation_end(wrong) == refused)
      #expect(unsafe reachability_take_status(wrong, &status, nil) == refused)
      #expect(unsafe reachability_take_path(wrong, &path) == refused)
      unsafe expectRefusal(reachability_observe(wrong, target, 0, { _, _, _ in }, nil, nil))
      unsafe expectRefusal(reachability_observe(monitor, wrong, 0, { _, _, _ in }, nil, nil))
      unsafe expectRefusal(reachability_observe_path(wrong, { _, _ in }, nil, nil))
      unsafe expectRefusal(reachability_queue_observe(queue, wrong, target, 0, nil))
      unsafe expectRefusal(reachability_queue_observe(queue, monitor, wrong, 0, nil))
      unsafe expectRefusal(reachability_queue_observe_path(queue, wrong, nil))
      #expect(unsafe reachability_monitor_destroy(wrong) == refused)
      #expect(unsafe reachability_target_destroy(wrong) == refused)
      // The last one is a queue.
      if handle == Self.wrong.last { continue }
      unsafe expectRefusal(reachability_queue_observe(wrong, monitor, target, 0, nil))
      unsafe expectRefusal(reachability_queue_observe_path(wrong, monitor, nil))
      unsafe expectRefusal(reachability_queue_next(wrong, nil))
      #expect(unsafe reachability_queue_descriptor(wrong) == -1)
      #expect(unsafe reachability_queue_destroy(wrong) == refused)
    }
    #expect(unsafe reachability_queue_descriptor(target) == -1)
    #expect(unsafe reachability_queue_destroy(target) == refused)
    #expect(unsafe reachability_queue_destroy(queue) == REACHABILITY_OK)
    #expect(unsafe reachability_target_destroy(target) == REACHABILITY_OK)
  }

  @Test func `places and sizes that cannot be are refused, and nothing is written`() throws {
    let monitor = unsafe reachability_monitor_shared()
    let target = unsafe reachability_target_create("127.0.0.1", nil)
    defer { _ = unsafe reachability_target_destroy(target) }
    let refused = REACHABILITY_ERROR_INVALID_ARGUMENT
    #expect(unsafe reachability_current_status(monitor, target, nil) == refused)
    #expect(lastError() == "'status' is null")
    #expect(unsafe reachability_wait_until_known(monitor, target, 0, nil) == refused)
    #expect(unsafe reachability_current_path(monitor, nil) == refused)
    #expect(unsafe reachability_current_evidence(monitor, target, nil) == refused)
    #expect(unsafe reachability_take_path(monitor, nil) == refused)
    let actual = unsafe MemoryLayout<reachability_status>.size
    for size in [0, 1, 7, 1 << 20, Int.max, -1] {
      var status = unsafe reachability_status.sized
      unsafe status.size = size
      #expect(unsafe reachability_current_status(monitor, target, &status) == refused)
      #expect(unsafe status.state == REACHABILITY_UNKNOWN && status.interface.index == 0)
      #expect(lastError().hasSuffix("set it to sizeof, which is \(actual)"))
      #expect(unsafe reachability_wait_until_reachable(monitor, target, 0, &status) == refused)
      var constraints = unsafe reachability_constraints()
      unsafe constraints.size = size
      #expect(unsafe reachability_target_create("127.0.0.1", &constraints) == nil)
    }
  }

  @Test(.needsNamespaces) func `a struct of another version is filled as far as both know it`() throws {
    let monitor = try CalledMonitor()
    let target = monitor.target("10.9.0.1")
    let size = unsafe MemoryLayout<reachability_status>.size
    for count in [16, 24, size, size + 64] {
      var bytes = [UInt8](repeating: 0xaa, count: size + 128)
      unsafe bytes.withUnsafeMutableBytes { bytes in
        let place = unsafe bytes.baseAddress!.assumingMemoryBound(to: reachability_status.self)
        unsafe place.pointee.size = count
        #expect(
          unsafe reachability_current_status(monitor.handle.pointer, target.pointer, place) == REACHABILITY_OK
        )
        #expect(unsafe place.pointee.size == count && place.pointee.state == REACHABILITY_REACHABLE)
      }
      #expect(bytes[count...].allSatisfy { $0 == 0xaa }, "after \(count)")
      if count > size { #expect(bytes[size..<count].allSatisfy { $0 == 0 }) }
    }
  }

  @Test(arguments: [
    "", " ", "a b", "10.9.0", "fe80::1%", "http://", "[::1", String(repeating: "a", count: 300), "%",
    "\u{1b}[2J",
  ])
  func `text that is no target is refused with its reason`(_ text: String) {
    #expect(unsafe reachability_target_create(text, nil) == nil)
    #expect(reachability_last_error() == REACHABILITY_ERROR_INVALID_TARGET)
    #expect(!lastError().isEmpty && !lastError().contains("\u{1b}"))
  }

  @Test func `text that is no UTF-8, and constraints that are none, are refused`() {
    let refused = REACHABILITY_ERROR_INVALID_ARGUMENT
    #expect(unsafe reachability_target_create(nil, nil) == nil && reachability_last_error() == refused)
    #expect(
      unsafe reachability_target_create([-1, -2, 0], nil) == nil && reachability_last_error() == refused)
    #expect(unsafe reachability_monitor_create([-1, 0]) == nil && reachability_last_error() == refused)
    func create(_ interface: String?, _ source: String?) -> String? {
      var constraints = unsafe reachability_constraints()
      unsafe constraints.size = MemoryLayout<reachability_constraints>.size
      let strings = unsafe [interface, source].map { unsafe $0.map { unsafe strdup($0) } ?? nil }
      defer { unsafe strings.forEach { string in unsafe free(string) } }
      unsafe constraints.interface = unsafe UnsafePointer(strings[0])
      unsafe constraints.source = unsafe UnsafePointer(strings[1])
      guard let target = unsafe reachability_target_create("fe80::1%v0", &constraints) else {
        return lastError()
      }
      _ = unsafe reachability_target_destroy(target)
      return nil
    }
    #expect(create(nil, nil) == nil)
    #expect(create("v0", "fe80::2") == nil)
    #expect(create("", nil) == "'' is neither the name nor the index of an interface")
    #expect(create("v1", nil) == "the interface 'v1' contradicts the zone 'v0'")
    #expect(create(nil, "10.1") == "'10.1' is no address; 'source' takes one such as 10.1.0.1 or fd00::1")
  }

  @Test func `other arguments out of their range are refused`() throws {
    let monitor = unsafe reachability_monitor_shared()
    let target = unsafe reachability_target_create("127.0.0.1", nil)
    defer { _ = unsafe reachability_target_destroy(target) }
    #expect(unsafe reachability_explain(monitor, target, reachability_format(rawValue: 7)) == nil)
    #expect(lastError() == "7 is no format; use REACHABILITY_TEXT or REACHABILITY_JSON")
    #expect(unsafe reachability_observe(monitor, target, 0, nil, nil, nil) == nil)
    #expect(lastError() == "'callback' is null")
    #expect(unsafe reachability_observe_path(monitor, nil, nil, nil) == nil)
    for settling in [-1, 86_400_001, Int64.max, .min] {
      #expect(unsafe reachability_observe(monitor, target, settling, { _, _, _ in }, nil, nil) == nil)
      #expect(lastError() == "'settling' is \(settling); it takes 0 to 86400000 ms")
    }
    #expect(unsafe reachability_monitor_destroy(monitor) == REACHABILITY_ERROR_INVALID_ARGUMENT)
    #expect(lastError() == "the shared monitor is never destroyed")
    #expect(unsafe reachability_target_destroy(monitor) == REACHABILITY_ERROR_INVALID_HANDLE)
    #expect(unsafe reachability_monitor_create(".") == nil)
    #expect(lastError().hasPrefix("'.' is no network namespace; use a name listed by 'ip netns'"))
    #expect(unsafe reachability_monitor_create("/dev/null") == nil)
    #expect(reachability_last_error() == REACHABILITY_ERROR_NAMESPACE_NOT_FOUND)
    reachability_free(nil)
    #expect(unsafe String(cString: reachability_version()) == "0.1.0")
  }

  @Test func `a failed observation releases its context`() {
    var count = 0
    unsafe withUnsafeMutablePointer(to: &count) { count in
      let release: reachability_release = { context in
        unsafe context.unsafelyUnwrapped.assumingMemoryBound(to: Int.self).pointee += 1
      }
      #expect(unsafe reachability_observe(nil, nil, 0, { _, _, _ in }, count, release) == nil)
      #expect(unsafe reachability_observe_path(nil, { _, _ in }, count, release) == nil)
    }
    #expect(count == 2)
  }
}
