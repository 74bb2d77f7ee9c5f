// SPDX-License-Identifier: Apache-2.0
// share/include/reachability.h documents the functions.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import CLibrary
import CReachability
import CommandLineSupport
import ReachabilityKit

/// Why a call failed: what it returns, and the text beside it.
struct Failure: Error {
  let code: reachability_error
  let text: String

  init(_ code: reachability_error, _ text: String) {
    self.code = code
    self.text = text
  }

  init(_ error: ReachabilityMonitorError) {
    let code: reachability_error =
      switch error.code {
      case .namespaceNotFound: REACHABILITY_ERROR_NAMESPACE_NOT_FOUND
      case .notPermitted: REACHABILITY_ERROR_NOT_PERMITTED
      case .timedOut: REACHABILITY_ERROR_TIMED_OUT
      case .invalidTarget: REACHABILITY_ERROR_INVALID_TARGET
      default: REACHABILITY_ERROR_SYSTEM
      }
    self.init(code, error.description)
  }

  static func invalidArgument(_ text: String) -> Failure {
    Failure(REACHABILITY_ERROR_INVALID_ARGUMENT, text)
  }
}

/// What the library keeps for a thread that calls it, until the thread ends.
@safe final class CallerState {
  private(set) var code = REACHABILITY_OK
  /// The text of the last failure, which the caller may read until the next one; allocated by `strdup`.
  private var text: UnsafeMutablePointer<CChar>?
  /// The number of callbacks that run on this thread.
  var callbackDepth = 0

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

  func store(_ failure: Failure) {
    code = failure.code
    unsafe free(text)
    unsafe text = strdup(failure.text.escapedForTerminal)
  }

  /// The text of the last failure, or of none.
  var lastText: UnsafePointer<CChar>? {
    if unsafe text == nil { unsafe text = strdup("") }
    return unsafe UnsafePointer(text)
  }
}

/// Returns what a body returns, or stores its failure for the caller and returns `nil`.
func result<Result>(_ body: () throws(Failure) -> Result) -> Result? {
  do throws(Failure) { return try body() } catch {
    CallerState.current.store(error)
    return nil
  }
}

/// Returns what a body returns about a monitor.
func about<Result>(
  _ monitor: OpaquePointer?, _ body: (ReachabilityMonitor) throws(Failure) -> Result
) -> Result? {
  result { () throws(Failure) in try unsafe body(try HandleTable.current.object(of: monitor)) }
}

/// Returns what a body returns about a target.
func about<Result>(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?,
  perform body: (ReachabilityMonitor, ReachabilityTarget) throws(Failure) -> Result
) -> Result? {
  result { () throws(Failure) in
    let (monitor, target) = try unsafe operands(monitor, target)
    return try body(monitor, target)
  }
}

/// Returns the objects of two handles.
func operands(
  _ monitor: OpaquePointer?, _ target: OpaquePointer?
) throws(Failure) -> (ReachabilityMonitor, ReachabilityTarget) {
  let table = HandleTable.current
  return unsafe (try table.object(of: monitor), try table.object(of: target, as: Target.self).value)
}

/// Returns `REACHABILITY_OK` after a body, or stores its failure for the caller and returns its code.
func code(_ body: () throws(Failure) -> Void) -> reachability_error {
  result(body) == nil ? CallerState.current.code : REACHABILITY_OK
}

@c @implementation
public func reachability_last_error() -> reachability_error { CallerState.current.code }

@c @implementation
public func reachability_last_error_text() -> UnsafePointer<CChar>? { unsafe CallerState.current.lastText }

@c @implementation
public func reachability_version() -> UnsafePointer<CChar>? {
  unsafe HandleTable.current.constant(packageVersion)
}

@c @implementation
public func reachability_free(_ string: UnsafeMutablePointer<CChar>?) { unsafe free(string) }
