public import Foundation
import Synchronization

/// Success.
public let kSCStatusOK = 0
/// Something failed; here, that the kernel can't be asked.
public let kSCStatusFailed = 1001
/// An argument is none that is accepted, or not now.
public let kSCStatusInvalidArgument = 1002
/// Permission denied.
public let kSCStatusAccessError = 1003
/// There is no such key.
public let kSCStatusNoKey = 1004
/// The key is there already.
public let kSCStatusKeyExists = 1005
/// Somebody holds the lock.
public let kSCStatusLocked = 1006
/// The operation needs the lock.
public let kSCStatusNeedLock = 1007
/// The session with the configuration daemon is not active.
public let kSCStatusNoStoreSession = 2001
/// The configuration daemon is not there.
public let kSCStatusNoStoreServer = 2002
/// The notifier is active.
public let kSCStatusNotifierActive = 2003
/// The session with the preferences is not active.
public let kSCStatusNoPrefsSession = 3001
/// The preferences are being updated.
public let kSCStatusPrefsBusy = 3002
/// There is no configuration file.
public let kSCStatusNoConfigFile = 3003
/// There is no such link.
public let kSCStatusNoLink = 3004
/// The object is out of date.
public let kSCStatusStale = 3005
/// There are too many links.
public let kSCStatusMaxLink = 3006
/// The reachability can't be determined: the kernel can't be asked.
public let kSCStatusReachabilityUnknown = 4001
/// There is no network service for the connection.
public let kSCStatusConnectionNoService = 5001
/// The connection is not looked after.
public let kSCStatusConnectionIgnore = 5002

/// The domain of what ``SCCopyLastError()`` returns.
public var kCFErrorDomainSystemConfiguration: CFString { "com.apple.SystemConfiguration" }

/// Returns the status of the last call that failed on this thread, 0 if none did.
///
/// Calls that succeed leave it as it is.
@discardableResult
public func SCError() -> Int32 {
  Thread.current.threadDictionary[lastErrorKey] as? Int32 ?? Int32(kSCStatusOK)
}

/// Returns the last error of this thread.
@discardableResult
public func SCCopyLastError() -> NSError {
  let status = SCError()
  return NSError(
    domain: kCFErrorDomainSystemConfiguration as String, code: Int(status),
    userInfo: [NSLocalizedDescriptionKey: errorText(of: status)])
}

/// Returns Apple's words for a status, or the system's for an error number.
///
/// The text lasts for as long as the program.
@discardableResult
public func SCErrorString(_ status: Int32) -> UnsafePointer<CChar> {
  unsafe errorStrings.withLock { strings in
    if let string = strings[status] { return unsafe string.text }
    let string = unsafe ErrorString(text: UnsafePointer(strdup(errorText(of: status))))
    strings[status] = string
    return unsafe string.text
  }
}

/// Notes why a call fails, and answers that it does.
func fail(_ status: Int) -> Bool {
  Thread.current.threadDictionary[lastErrorKey] = Int32(status)
  return false
}

private let lastErrorKey = "com.apple.SystemConfiguration.error"

// Safe to share: it is never written to, and never freed.
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
