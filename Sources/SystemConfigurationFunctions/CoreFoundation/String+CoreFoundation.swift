// SPDX-License-Identifier: Apache-2.0
public import CoreFoundation
public import Foundation

extension String {
  /// The name of a run loop's mode as Core Foundation takes it, which compares its two constants by address.
  var asRunLoopMode: CoreFoundation.CFString {
    if self == RunLoop.Mode.default.rawValue { return kCFRunLoopDefaultMode }
    if self == RunLoop.Mode.common.rawValue { return kCFRunLoopCommonModes }
    let utf8 = CFStringEncoding.utf8
    guard let copy = unsafe CFStringCreateWithCString(kCFAllocatorDefault, self, utf8) else {
      preconditionFailure("Core Foundation has no memory for a string")
    }
    return copy
  }

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

// Swift on Linux does not bridge Core Foundation's classes to its own, so code like `text as CFString` would not
// compile with Core Foundation's string. Foundation's string has the same layout and the bridge.

/// The string type that this module takes and returns.
///
/// A file that also imports `CoreFoundation` finds two types of this name; write `NSString` there.
public typealias CFString = NSString

// Core Foundation's functions for errors, for the type that ``SCCopyLastError()`` returns. On Linux, Swift does not
// bridge Foundation's errors to those of Core Foundation.

/// The type of the errors that ``SCCopyLastError()`` returns.
///
/// A file that also imports `CoreFoundation` finds two types of this name; write `NSError` there.
public typealias CFError = NSError

/// Returns the code of an error.
public func CFErrorGetCode(_ error: NSError!) -> CFIndex {
  error.code
}

/// Returns the domain of an error.
public func CFErrorGetDomain(_ error: NSError!) -> CFString! {
  error.domain as CFString
}

/// Returns the text of an error.
public func CFErrorCopyDescription(_ error: NSError!) -> CFString! {
  error.localizedDescription as CFString
}
