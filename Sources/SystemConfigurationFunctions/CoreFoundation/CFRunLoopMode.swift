// SPDX-License-Identifier: Apache-2.0
public import CoreFoundation
public import Foundation

/// The name of a run loop's mode.
///
/// The Apple symbol is `CFRunLoopMode`.
public struct CFRunLoopMode: RawRepresentable, Hashable {
  /// The name.
  public let rawValue: CFString

  /// Creates a mode from a name.
  public init(rawValue: CFString) {
    self.rawValue = rawValue
  }

  /// Creates a mode from a name.
  public init(_ rawValue: CFString) {
    self.rawValue = rawValue
  }

  // Implicitly unwrapped like Apple's, as Swift imports it: code may unwrap it, or not.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// The mode that run loops run in by default; the same as `RunLoop.Mode.default`.
  public static var defaultMode: CFRunLoopMode! { CFRunLoopMode(RunLoop.Mode.default.rawValue as CFString) }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// All modes that are declared common; the same as `RunLoop.Mode.common`.
  public static var commonModes: CFRunLoopMode! { CFRunLoopMode(RunLoop.Mode.common.rawValue as CFString) }
}

/// Runs the current thread's run loop in a mode.
///
/// - Parameters:
///   - mode: The mode.
///   - seconds: The longest time to run.
///   - returnAfterSourceHandled: Whether to return as soon as one source is handled.
/// - Returns: The reason why the run ended.
@discardableResult
public func CFRunLoopRunInMode(
  _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
  CFRunLoopRunInMode((mode.rawValue as String).asRunLoopMode, seconds, returnAfterSourceHandled)
}

// Core Foundation's functions with a mode, for the type that a mode has on Apple platforms.

/// Adds a source to a run loop in a mode.
public func CFRunLoopAddSource(_ loop: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!) {
  CFRunLoopAddSource(loop, source, mode.name)
}

/// Removes a source from a run loop in a mode.
public func CFRunLoopRemoveSource(_ loop: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!) {
  CFRunLoopRemoveSource(loop, source, mode.name)
}

/// Returns whether a run loop has a source in a mode.
public func CFRunLoopContainsSource(
  _ loop: CFRunLoop!, _ source: CFRunLoopSource!, _ mode: CFRunLoopMode!
) -> Bool {
  CFRunLoopContainsSource(loop, source, mode.name)
}

/// Adds a timer to a run loop in a mode.
public func CFRunLoopAddTimer(_ loop: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!) {
  CFRunLoopAddTimer(loop, timer, mode.name)
}

/// Removes a timer from a run loop in a mode.
public func CFRunLoopRemoveTimer(_ loop: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!) {
  CFRunLoopRemoveTimer(loop, timer, mode.name)
}

/// Returns whether a run loop has a timer in a mode.
public func CFRunLoopContainsTimer(
  _ loop: CFRunLoop!, _ timer: CFRunLoopTimer!, _ mode: CFRunLoopMode!
) -> Bool {
  CFRunLoopContainsTimer(loop, timer, mode.name)
}

/// Adds an observer to a run loop in a mode.
public func CFRunLoopAddObserver(_ loop: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!) {
  CFRunLoopAddObserver(loop, observer, mode.name)
}

/// Removes an observer from a run loop in a mode.
public func CFRunLoopRemoveObserver(
  _ loop: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) {
  CFRunLoopRemoveObserver(loop, observer, mode.name)
}

/// Returns whether a run loop has an observer in a mode.
public func CFRunLoopContainsObserver(
  _ loop: CFRunLoop!, _ observer: CFRunLoopObserver!, _ mode: CFRunLoopMode!
) -> Bool {
  CFRunLoopContainsObserver(loop, observer, mode.name)
}

/// Adds a mode to the common modes of a run loop.
public func CFRunLoopAddCommonMode(_ loop: CFRunLoop!, _ mode: CFRunLoopMode!) {
  CFRunLoopAddCommonMode(loop, mode.name)
}

// swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
/// Returns the mode in which a run loop runs, `nil` if it does not run.
///
/// Core Foundation's own function, which returns a string, has precedence where the context states no type.
@_disfavoredOverload
public func CFRunLoopCopyCurrentMode(_ loop: CFRunLoop!) -> CFRunLoopMode! {
  let name: CoreFoundation.CFString? = CFRunLoopCopyCurrentMode(loop)
  return name.map { CFRunLoopMode(rawValue: String($0) as CFString) }
}

/// Returns the time of the next call of any timer of a run loop in a mode; 0 without timers.
public func CFRunLoopGetNextTimerFireDate(_ loop: CFRunLoop!, _ mode: CFRunLoopMode!) -> CFAbsoluteTime {
  CFRunLoopGetNextTimerFireDate(loop, mode.name)
}

extension CFRunLoopMode {
  /// The name as Core Foundation takes it.
  fileprivate var name: CoreFoundation.CFString { (rawValue as String).asRunLoopMode }
}

// Swift calls these functions for `RunLoop.Mode.common as CFString`. On Apple platforms the compiler bridges structures
// of names by itself; on Linux, Foundation does not conform this one.
extension RunLoop.Mode: @retroactive _ObjectiveCBridgeable {
  /// Returns the name as an object.
  public func _bridgeToObjectiveC() -> NSString {
    rawValue as NSString
  }

  /// Creates a mode from a name.
  public static func _forceBridgeFromObjectiveC(_ name: NSString, result: inout RunLoop.Mode?) {
    result = RunLoop.Mode(name as String)
  }

  /// Creates a mode from a name, and returns `true`.
  public static func _conditionallyBridgeFromObjectiveC(
    _ name: NSString, result: inout RunLoop.Mode?
  ) -> Bool {
    result = RunLoop.Mode(name as String)
    return true
  }

  /// Returns a mode with a name.
  public static func _unconditionallyBridgeFromObjectiveC(_ name: NSString?) -> RunLoop.Mode {
    RunLoop.Mode(name.map { $0 as String } ?? "")
  }
}

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
