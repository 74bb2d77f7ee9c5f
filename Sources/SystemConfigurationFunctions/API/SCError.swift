// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization

/// Success.
public let kSCStatusOK = 0
/// A failure; in this module, the kernel cannot be queried.
public let kSCStatusFailed = 1001
/// An argument is invalid, or invalid in the present state.
public let kSCStatusInvalidArgument = 1002
/// Permission denied.
public let kSCStatusAccessError = 1003
/// No such key exists.
public let kSCStatusNoKey = 1004
/// The key already exists.
public let kSCStatusKeyExists = 1005
/// The lock is already held.
public let kSCStatusLocked = 1006
/// The operation needs the lock.
public let kSCStatusNeedLock = 1007
/// The session with the configuration daemon is not active.
public let kSCStatusNoStoreSession = 2001
/// The configuration daemon is not available.
public let kSCStatusNoStoreServer = 2002
/// The notifier is active.
public let kSCStatusNotifierActive = 2003
/// The session with the preferences is not active.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// The configuration file does not exist.
public let kSCStatusNoConfigFile = 3003
/// No such link exists.
public let kSCStatusNoLink = 3004
/// The object is out of date.
public let kSCStatusStale = 3005
/// The maximum number of links is exceeded.
public let kSCStatusMaxLink = 3006
/// The reachability cannot be determined, because the kernel cannot be queried.
public let kSCStatusReachabilityUnknown = 4001
/// The connection has no network service.
public let kSCStatusConnectionNoService = 5001
/// Information on the connection is not available.
public let kSCStatusConnectionIgnore = 5002

/// The domain of the errors that ``SCCopyLastError()`` returns.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" }

/// Returns the status of this thread's last failed call, 0 if none has failed.
///
/// Successful calls do not change it.
@discardableResult
public func SCError() -> Int32 {
  Thread.current.threadDictionary[lastErrorKey] as? Int32 ?? Int32(kSCStatusOK)
}

/// Returns the last error of this thread.
@discardableResult
public func SCCopyLastError() -> CFError {
  let status = SCError()
  return NSError(
    domain: kCFErrorDomainSystemConfiguration as String, code: Int(status),
    userInfo: [NSLocalizedDescriptionKey: errorText(of: status)])
}

/// Returns Apple's text for a status, or the system's text for an error number.
///
/// The text lasts until the program ends.
@discardableResult
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
  unsafe errorStrings.withLock { strings in
    if let string = strings[status] { return unsafe string.text }
    let string = unsafe ErrorString(text: UnsafePointer(strdup(errorText(of: status))))
    strings[status] = string
    return unsafe string.text
  }
}

/// Records the status of a failed call, and returns `false` as its result.
func fail(_ status: Int) -> Bool {
  Thread.current.threadDictionary[lastErrorKey] = Int32(status)
  return false
}

private let lastErrorKey = "com.apple.SystemConfiguration.error"

// Safe to share: the text is never modified and never freed.
@safe private struct ErrorString: @unchecked Sendable {
  let text: UnsafePointer<CChar>
}

private let errorStrings = Mutex<[Int32: ErrorString]>([:])

private let errorTexts: [Int: String] = [
  kSCStatusOK: "Success!",
  kSCStatusFailed: "Failed!",
  kSCStatusInvalidArgument: "Invalid argument",
  kSCStatusAccessError: "Permission denied",
  kSCStatusNoKey: "No such key",
  kSCStatusKeyExists: "Key already defined",
  kSCStatusLocked: "Lock already held",
  kSCStatusNeedLock: "Lock required for this operation",
  kSCStatusNoStoreSession: "Configuration daemon session not active",
  kSCStatusNoStoreServer: "Configuration daemon not (no longer) available",
  kSCStatusNotifierActive: "Notifier is currently active",
  kSCStatusNoPrefsSession: "Preference session not active",
  kSCStatusPrefsBusy: "Preferences update currently in progress",
  kSCStatusNoConfigFile: "Configuration file not found",
  kSCStatusNoLink: "No such link",
  kSCStatusStale: "Write attempted on stale version of object",
  kSCStatusMaxLink: "Maximum link count exceeded",
  kSCStatusReachabilityUnknown: "Network reachability cannot be determined",
  kSCStatusConnectionNoService: "Network service for connection not available",
  kSCStatusConnectionIgnore: "Network connection information not available at this time",
]

private func errorText(of status: Int32) -> String {
  if let text = errorTexts[Int(status)] { return text }
  return unsafe String(cString: strerror(status))
}
