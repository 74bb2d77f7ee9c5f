// SPDX-License-Identifier: Apache-2.0
import CReachability
import ClassicSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Synchronization
import TestSupport
import Testing

/// Callbacks and queues, while a real network changes.
@Suite(.needsNamespaces, .deadline) struct ObservationTests {
  private struct Change: Sendable, Equatable {
    var state: UInt32
    var previous: UInt32?
  }

  /// The context of a callback.
  private final class Recorder: Sendable {
    let changes = Log<Change>()
    let releases = Log<Void>()
    /// Runs in the callback.
    let action: Mutex<@Sendable () -> Void> = Mutex({})

    static func of(_ context: UnsafeMutableRawPointer?) -> Recorder {
      unsafe Unmanaged<Recorder>.fromOpaque(context.unsafelyUnwrapped).takeUnretainedValue()
    }
  }

  private let monitor: CalledMonitor

  init() throws { monitor = try CalledMonitor() }

  private func observe(_ target: Handle, _ recorder: Recorder) throws -> Handle {
    let observation = unsafe Handle(
      reachability_observe(
        monitor.handle.pointer, target.pointer, 0,
        { status, previous, context in
          let recorder = unsafe Recorder.of(context)
          recorder.action.withLock { $0 }()
          recorder.changes.append(
            unsafe Change(
              state: status.unsafelyUnwrapped.pointee.state.rawValue,
              previous: previous?.pointee.state.rawValue))
        }, Unmanaged.passRetained(recorder).toOpaque(),
        { context in
          unsafe Recorder.of(context).releases.note()
          unsafe Unmanaged<Recorder>.fromOpaque(context.unsafelyUnwrapped).release()
        }))
    try #require(!observation.isNull, "\(lastError())")
    return observation
  }

  @Test func `a callback receives the current status, then each change, and its context is released once`()
    async throws
  {
    let recorder = Recorder()
    let target = monitor.target("10.9.0.1")
    let observation = try observe(target, recorder)
    #expect(unsafe reachability_target_destroy(target.pointer) == REACHABILITY_OK)
    try await recorder.changes.wait(for: 1)
    try monitor.cable.setDefaultRoute(false)
    try await recorder.changes.wait(for: 2)
    try monitor.cable.setDefaultRoute(true)
    #expect(
      try await recorder.changes.wait(for: 3)
        == [.init(state: 2), .init(state: 1, previous: 2), .init(state: 2, previous: 1)])
    #expect(recorder.releases.elements.isEmpty)
    #expect(unsafe reachability_observation_end(observation.pointer) == REACHABILITY_OK)
    try await recorder.releases.wait(for: 1)
    #expect(unsafe reachability_observation_end(observation.pointer) == REACHABILITY_ERROR_INVALID_HANDLE)
    try monitor.cable.setDefaultRoute(false)
    #expect(recorder.changes.elements.count == 3 && recorder.releases.elements.count == 1)
  }

  @Test func `a callback may call, and end its observation, but not wait`() async throws {
    let recorder = Recorder()
    let (target, elsewhere) = (monitor.target("10.9.0.1"), monitor.target("192.0.2.1"))
    try monitor.cable.setDefaultRoute(false)
    let results = Log<UInt32>()
    let own = Mutex<Handle?>(nil)
    let handle = monitor.handle
    recorder.action.withLock {
      $0 = {
        var status = unsafe reachability_status.sized
        results.append(
          unsafe reachability_current_status(handle.pointer, elsewhere.pointer, &status).rawValue)
        results.append(
          unsafe reachability_wait_until_reachable(handle.pointer, elsewhere.pointer, -1, nil).rawValue)
        // Not in the first call, which may precede the handle.
        if let own = own.withLock(\.self) {
          results.append(unsafe reachability_observation_end(own.pointer).rawValue)
        }
      }
    }
    let observation = try observe(target, recorder)
    // The first call is over: it would end the observation, too.
    try await recorder.changes.wait(for: 1)
    own.withLock { $0 = observation }
    try monitor.cable.setDefaultRoute(true)
    try await recorder.releases.wait(for: 1)
    let (ok, deadlock) = (REACHABILITY_OK.rawValue, REACHABILITY_ERROR_WOULD_DEADLOCK.rawValue)
    // The second wait is over before it begins.
    #expect(results.elements == [ok, deadlock, ok, ok, ok])
  }

  @Test func `a path's callback receives each change of the path`() async throws {
    let recorder = Recorder()
    let observation = unsafe reachability_observe_path(
      monitor.handle.pointer,
      { path, context in
        let recorder = unsafe Recorder.of(context)
        recorder.changes.append(unsafe Change(state: path.unsafelyUnwrapped.pointee.state.rawValue))
      }, Unmanaged.passUnretained(recorder).toOpaque(), nil)
    try await recorder.changes.wait(for: 1)
    try monitor.cable.setDefaultRoute(false)
    // A path may change in other ways before, for example when NetworkManager's opinion arrives.
    let states = try await recorder.changes.wait { $0.last?.state == 1 }.map(\.state)
    #expect(states.first == 2 && states.filter { $0 == 1 }.count == 1)
    #expect(unsafe reachability_observation_end(observation) == REACHABILITY_OK)
    withExtendedLifetime(recorder) {}
  }

  // MARK: - Queues

  /// Whether a descriptor becomes readable within a time.
  private func isReadable(_ descriptor: CInt, within milliseconds: CInt = 60_000) -> Bool {
    var poll = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return unsafe Foundation.poll(&poll, 1, milliseconds) == 1
  }

  @Test func `a queue's descriptor is readable while a change waits, and changes are taken one by one`()
    throws
  {
    let queue = unsafe Handle(reachability_queue_create())
    let descriptor = unsafe reachability_queue_descriptor(queue.pointer)
    #expect(fcntl(descriptor, F_GETFD) & FD_CLOEXEC != 0)
    #expect(!isReadable(descriptor, within: 0))
    let target = monitor.target("10.9.0.1")
    let context = unsafe UnsafeMutableRawPointer(bitPattern: 77)
    let observation = unsafe Handle(
      reachability_queue_observe(queue.pointer, monitor.handle.pointer, target.pointer, 0, context))
    func take(_ expected: [UInt32]) throws {
      #expect(isReadable(descriptor))
      var found = unsafe UnsafeMutableRawPointer?(nil)
      #expect(unsafe Handle(reachability_queue_next(queue.pointer, &found)) == observation)
      #expect(unsafe found == context)
      var (status, previous) = unsafe (reachability_status.sized, reachability_status.sized)
      #expect(unsafe reachability_take_status(observation.pointer, &status, &previous) == REACHABILITY_OK)
      #expect(unsafe [status.state.rawValue, previous.state.rawValue] == expected)
      #expect(
        unsafe reachability_take_status(observation.pointer, &status, nil) == REACHABILITY_ERROR_EMPTY)
      #expect(unsafe reachability_queue_next(queue.pointer, nil) == nil)
      #expect(reachability_last_error() == REACHABILITY_ERROR_EMPTY)
      #expect(!isReadable(descriptor, within: 0))
    }
    try take([2, 0])
    try monitor.cable.setDefaultRoute(false)
    try take([1, 2])
    try monitor.cable.setDefaultRoute(true)
    try take([2, 1])
    var path = unsafe reachability_path.sized
    try monitor.cable.setDefaultRoute(false)
    #expect(isReadable(descriptor))
    #expect(unsafe reachability_take_path(observation.pointer, &path) == REACHABILITY_ERROR_INVALID_ARGUMENT)
    #expect(unsafe reachability_queue_destroy(queue.pointer) == REACHABILITY_OK)
    #expect(unsafe reachability_observation_end(observation.pointer) == REACHABILITY_ERROR_INVALID_HANDLE)
  }

  @Test func `of changes that are not taken the newest is kept, and none if it is the one that was taken`()
    throws
  {
    let queue = unsafe Handle(reachability_queue_create())
    let descriptor = unsafe reachability_queue_descriptor(queue.pointer)
    let (target, other) = (monitor.target("10.9.0.1"), monitor.target("10.9.0.2"))
    let observations = [target, other].map {
      unsafe Handle(reachability_queue_observe(queue.pointer, monitor.handle.pointer, $0.pointer, 0, nil))
    }
    var status = unsafe reachability_status.sized
    var taken: [Handle] = []
    while taken.count < 2 {
      #expect(isReadable(descriptor))
      while case let next = unsafe Handle(reachability_queue_next(queue.pointer, nil)), !next.isNull {
        #expect(unsafe reachability_take_status(next.pointer, &status, nil) == REACHABILITY_OK)
        taken.append(next)
      }
    }
    #expect(Set(taken.map(\.number)) == Set(observations.map(\.number)))
    // Another observation, made last, shows when both have received the changes: the thread delivers in their order.
    try monitor.cable.setDefaultRoute(false)
    try monitor.cable.host.ip("route add blackhole 10.9.0.2/32")
    let last = unsafe Handle(
      reachability_queue_observe_path(queue.pointer, monitor.handle.pointer, nil))
    var path = unsafe reachability_path.sized
    while unsafe reachability_take_path(last.pointer, &path) != REACHABILITY_OK {
      #expect(isReadable(descriptor))
    }
    try monitor.cable.host.ip("route del blackhole 10.9.0.2/32")
    try monitor.cable.setDefaultRoute(true)
    while unsafe path.state != REACHABILITY_PATH_SATISFIED {
      _ = unsafe reachability_take_path(last.pointer, &path)
    }
    // Both are as they were when they were taken, as soon as that has been delivered.
    var settled = false
    let end = ContinuousClock.now + .seconds(60)
    while !settled, ContinuousClock.now < end {
      settled = observations.allSatisfy {
        unsafe reachability_take_status($0.pointer, &status, nil) == REACHABILITY_ERROR_EMPTY
      }
    }
    #expect(settled)
    #expect(unsafe reachability_observation_end(observations[0].pointer) == REACHABILITY_OK)
    #expect(unsafe reachability_queue_destroy(queue.pointer) == REACHABILITY_OK)
    for observation in [observations[1], last] {
      #expect(unsafe reachability_observation_end(observation.pointer) == REACHABILITY_ERROR_INVALID_HANDLE)
    }
  }

  @Test func `a thousand observations end with their queue while another thread takes from it`() async throws
  {
    for _ in 0..<4 {
      let queue = unsafe Handle(reachability_queue_create())
      let target = monitor.target("10.9.0.1")
      let taker = Task.detached {
        while true {
          let next = unsafe Handle(reachability_queue_next(queue.pointer, nil))
          var status = unsafe reachability_status.sized
          if !next.isNull { _ = unsafe reachability_take_status(next.pointer, &status, nil) }
          if next.isNull, reachability_last_error() == REACHABILITY_ERROR_INVALID_HANDLE { return }
          await Task.yield()
        }
      }
      for _ in 0..<250 {
        _ = unsafe reachability_queue_observe(queue.pointer, monitor.handle.pointer, target.pointer, 0, nil)
      }
      #expect(unsafe reachability_queue_destroy(queue.pointer) == REACHABILITY_OK)
      #expect(unsafe reachability_target_destroy(target.pointer) == REACHABILITY_OK)
      await taker.value
    }
  }
}
