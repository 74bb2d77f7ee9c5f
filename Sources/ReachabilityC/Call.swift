// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CReachability
import CommandLineSupport
import ReachabilityKit

/// Why a call failed: what it returns, and the text beside it.
struct Failure: Error {
  let code: reachability_error
  let text: String

  static func invalid(_ text: String) -> Self { Self(code: REACHABILITY_ERROR_INVALID_ARGUMENT, text: text) }
}

/// Returns what a body returns, or stores its failure for the caller and returns `nil`.
func result<Result>(_ body: () throws -> Result?) -> Result? {
  do { return try body() } catch {
    CallerState.current.store(error)
    return nil
  }
}

/// Returns `REACHABILITY_OK` after a body, or stores its failure for the caller and returns its code.
func code(_ body: () throws -> Void) -> reachability_error {
  result(body) == nil ? CallerState.current.code : REACHABILITY_OK
}

/// Returns an argument that must not be null.
func required<Argument>(_ argument: Argument?, _ name: String) throws(Failure) -> Argument {
  guard let argument else { throw .invalid("'\(name)' is null") }
  return argument
}

/// Reads a text argument.
func string(_ argument: UnsafePointer<CChar>?, _ name: String) throws(Failure) -> String {
  guard let text = unsafe String(validatingCString: try required(argument, name)) else {
    throw .invalid("'\(name)' is no UTF-8")
  }
  return text
}

/// What the library keeps for a thread that calls it, until the thread ends.
@safe final class CallerState {
  private(set) var code = REACHABILITY_OK
  /// The text of the last failure, or of none, which the caller may read until the next one.
  private(set) var text = unsafe strdup("")
  /// Whether a callback runs on this thread.
  var isInCallback = false

  private static let key: pthread_key_t = {
    var key: pthread_key_t = 0
    unsafe pthread_key_create(&key) { state in
      if let state = unsafe state { unsafe Unmanaged<CallerState>.fromOpaque(state).release() }
    }
    return key
  }()

  /// That of this thread.
  static var current: CallerState {
    if let known = unsafe pthread_getspecific(key) {
      return unsafe Unmanaged<CallerState>.fromOpaque(known).takeUnretainedValue()
    }
    let state = CallerState()
    unsafe pthread_setspecific(key, Unmanaged.passRetained(state).toOpaque())
    return state
  }

  deinit { unsafe free(text) }

  func store(_ error: any Error) {
    code =
      switch (error, (error as? ReachabilityMonitorError)?.code) {
      case (let failure as Failure, _): failure.code
      case (is ReachabilityTargetError, _): REACHABILITY_ERROR_INVALID_TARGET
      case (_, .namespaceNotFound): REACHABILITY_ERROR_NAMESPACE_NOT_FOUND
      case (_, .notPermitted): REACHABILITY_ERROR_NOT_PERMITTED
      default: REACHABILITY_ERROR_SYSTEM
      }
    unsafe free(text)
    unsafe text = strdup(((error as? Failure)?.text ?? "\(error)").escapedForTerminal)
  }
}
