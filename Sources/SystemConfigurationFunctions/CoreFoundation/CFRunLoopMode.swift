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
