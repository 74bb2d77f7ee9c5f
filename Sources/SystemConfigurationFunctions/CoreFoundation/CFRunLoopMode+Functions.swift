public import CoreFoundation

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
