import CoreFoundation
import Foundation

/// An input source that calls a closure on a run loop's thread after a signal.
///
/// Several signals before the call cause one call.
// Safe to share: Core Foundation's run loops and sources may be used from any thread, and so may the closure.
final class RunLoopSource: @unchecked Sendable {
  private let source: CFRunLoopSource

  init(_ perform: @escaping @Sendable () -> Void) {
    let action = Action(perform: perform)
    var context = unsafe CFRunLoopSourceContext()
    unsafe context.info = unsafe Unmanaged.passUnretained(action).toOpaque()
    // The source retains the action while it is valid.
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
  // Safe to share: any thread may use a run loop, except to run it.
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

  /// Removes the source from all run loops, for good.
  func invalidate() {
    CFRunLoopSourceInvalidate(source)
  }

  /// Requests a call on the first of the run loops that checks its sources.
  ///
  /// All are woken, since it is unknown which of them still runs or is about to wait.
  func signal(at places: [Place]) {
    CFRunLoopSourceSignal(source)
    for place in places { CFRunLoopWakeUp(place.loop) }
  }
}
