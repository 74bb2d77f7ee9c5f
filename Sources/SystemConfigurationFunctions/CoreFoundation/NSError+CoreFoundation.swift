public import CoreFoundation
public import Foundation

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
