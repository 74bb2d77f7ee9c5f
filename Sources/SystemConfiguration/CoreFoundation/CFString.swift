public import CoreFoundation
public import Foundation

// Swift on Linux has no bridge between Core Foundation's classes and its own, so code like `text as CFString` would
// not compile with Core Foundation's string. Foundation's has the same layout and the bridge.

/// A string, as this module takes and returns it.
///
/// A file that imports `CoreFoundation` by itself finds two; there, write `NSString`.
public typealias CFString = NSString

/// The name of a run loop's mode.
///
/// The Apple symbol is `CFRunLoopMode`.
public struct CFRunLoopMode: RawRepresentable, Hashable {
  /// The name.
  public let rawValue: CFString

  /// Makes a mode of a name.
  public init(rawValue: CFString) {
    self.rawValue = rawValue
  }

  /// Makes a mode of a name.
  public init(_ rawValue: CFString) {
    self.rawValue = rawValue
  }

  // Optional in this way, because Apple's is imported so: code may unwrap it, or not.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// What run loops run in if no other mode is asked for; the same as `RunLoop.Mode.default`.
  public static var defaultMode: CFRunLoopMode! { CFRunLoopMode(RunLoop.Mode.default.rawValue as CFString) }

  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  /// All modes that are declared common; the same as `RunLoop.Mode.common`.
  public static var commonModes: CFRunLoopMode! { CFRunLoopMode(RunLoop.Mode.common.rawValue as CFString) }
}

/// Runs the current thread's run loop in a mode.
///
/// - Parameters:
///   - mode: The mode.
///   - seconds: For how long at most.
///   - returnAfterSourceHandled: Whether to return as soon as one source was handled.
/// - Returns: Why it ended.
@discardableResult
public func CFRunLoopRunInMode(
  _ mode: CFRunLoopMode!, _ seconds: CFTimeInterval, _ returnAfterSourceHandled: Bool
) -> CFRunLoopRunResult {
  CFRunLoopRunInMode((mode.rawValue as String).asRunLoopMode, seconds, returnAfterSourceHandled)
}

extension String {
  /// The name of a run loop's mode, as Core Foundation takes it: it knows its own two by their address.
  var asRunLoopMode: CoreFoundation.CFString {
    if self == RunLoop.Mode.default.rawValue { return kCFRunLoopDefaultMode }
    if self == RunLoop.Mode.common.rawValue { return kCFRunLoopCommonModes }
    let utf8 = CFStringEncoding.utf8
    guard let copy = unsafe CFStringCreateWithCString(kCFAllocatorDefault, self, utf8) else {
      preconditionFailure("Core Foundation has no memory for a string")
    }
    return copy
  }

  /// Reads a string of Core Foundation's.
  init(_ string: CoreFoundation.CFString) {
    let utf8 = CFStringEncoding.utf8
    let capacity = CFStringGetMaximumSizeForEncoding(CFStringGetLength(string), utf8) + 1
    self = unsafe String(unsafeUninitializedCapacity: capacity) { buffer in
      unsafe buffer.withMemoryRebound(to: CChar.self) { characters in
        guard let start = characters.baseAddress,
          unsafe CFStringGetCString(string, start, capacity, utf8)
        else { return 0 }
        return unsafe strlen(start)
      }
    }
  }
}

extension CFStringEncoding {
  /// The constant is `kCFStringEncodingUTF8`, which is not imported on Linux.
  fileprivate static var utf8: CFStringEncoding { 0x0800_0100 }
}
