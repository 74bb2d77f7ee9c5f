import CoreFoundation
import Foundation

/// An input source that calls a closure on a run loop's thread after it was signalled.
///
/// Signals that come before the call are one.
// Safe to share: Core Foundation's run loops and their sources may be used from any thread, and the closure may too.
final class RunLoopSource: @unchecked Sendable {
  private let source: CFRunLoopSource

  init(_ perform: @escaping @Sendable () -> Void) {
    let action = Action(perform: perform)
    var context = unsafe CFRunLoopSourceContext()
    unsafe context.info = unsafe Unmanaged.passUnretained(action).toOpaque()
    // The source retains the action for as long as it is valid.
    unsafe context.retain = { info in
      guard let info = unsafe info else { return nil }
      return unsafe UnsafeRawPointer(Unmanaged<Action>.fromOpaque(info).retain().toOpaque())
    }
    unsafe context.release = { info in
      guard let info = unsafe info else { return }
      unsafe Unmanaged<Action>.fromOpaque(info).release()
    }
    unsafe context.perform = { info in
      guard let info = unsafe info else { return }
      unsafe Unmanaged<Action>.fromOpaque(info).takeUnretainedValue().perform()
    }
    guard let source = unsafe CFRunLoopSourceCreate(kCFAllocatorDefault, 0, &context) else {
      preconditionFailure("Core Foundation has no memory for a run loop source")
    }
    self.source = source
    withExtendedLifetime(action) {}
  }

  private final class Action: Sendable {
    let perform: @Sendable () -> Void

    init(perform: @escaping @Sendable () -> Void) {
      self.perform = perform
    }
  }

  /// A run loop in a mode.
  // Safe to share: run loops may be used from any thread, but for running them.
  struct Place: Equatable, @unchecked Sendable {
    let loop: CFRunLoop
    let mode: String

    static func == (one: Place, other: Place) -> Bool {
      one.loop === other.loop && one.mode == other.mode
    }
  }

  func add(to place: Place) {
    CFRunLoopAddSource(place.loop, source, place.mode.asRunLoopMode)
  }

  func remove(from place: Place) {
    CFRunLoopRemoveSource(place.loop, source, place.mode.asRunLoopMode)
  }

  /// Ends it for good.
  func invalidate() {
    CFRunLoopSourceInvalidate(source)
  }

  /// Has it called on one of the run loops, whichever looks first.
  ///
  /// All are woken: nobody knows which of them still runs, or is about to wait.
  func signal(at places: [Place]) {
    CFRunLoopSourceSignal(source)
    for place in places { CFRunLoopWakeUp(place.loop) }
  }
}
