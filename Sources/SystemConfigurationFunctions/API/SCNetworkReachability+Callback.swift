// SPDX-License-Identifier: Apache-2.0
public import Foundation
import Synchronization

/// Sets or removes the callback for changes of a target's flags, interface or number of addresses.
///
/// It may be set at any time, even while the target is scheduled. The context's info is retained. It is released when
/// another context replaces it or the target is released, but not before a call with it has returned.
///
/// - Parameters:
///   - target: The target.
///   - callout: The callback; `nil` removes it.
///   - context: The context of the callback; copied.
/// - Returns: `true`.
///
/// The Apple symbol is `SCNetworkReachabilitySetCallback`.
@discardableResult
public func SCNetworkReachabilitySetCallback(
  // Not `SCNetworkReachabilityCallBack`, which is `@Sendable`: a closure in a call keeps the isolation of its context, as
  // on Apple platforms. One on the main actor may then call methods of the main actor.
  _ target: SCNetworkReachability,
  _ callout: (
    (_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags, _ info: UnsafeMutableRawPointer?)
      -> Void
  )?,
  _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
  let callback = unsafe Callback(callout, context?.pointee)
  // The old callback is released outside the lock, since its release is the program's own code.
  let old = target.state.withLock { state in
    let old = state.callback
    state.callback = callback
    return old
  }
  _ = consume old
  return true
}

extension SCNetworkReachability {
  /// A call that is due.
  struct Call: Sendable {
    var callback: Callback?
    var flags: SCNetworkReachabilityFlags
  }

  /// Performs a call, without a lock, so that it may use the target in any way.
  func perform(_ call: Call) {
    call.callback?.call(self, call.flags)
  }
}

/// A callback with its context, the arguments of `SCNetworkReachabilitySetCallback`.
// Safe to share: it is immutable. The purpose of a callback is to use its closure and its info on other threads than
// the one that set them.
@safe final class Callback: @unchecked Sendable {
  /// Any closure, also one that is not `@Sendable`.
  typealias Callout = (SCNetworkReachability, SCNetworkReachabilityFlags, UnsafeMutableRawPointer?) -> Void

  private let callout: Callout?
  private let context: SCNetworkReachabilityContext?
  /// The result of the first retain.
  private let info: UnsafeMutableRawPointer?

  init(_ callout: Callout?, _ context: SCNetworkReachabilityContext?) {
    unsafe self.callout = unsafe callout
    unsafe self.context = unsafe context
    unsafe info = unsafe context?.retained(context?.info)
  }

  /// Calls the callback with the info, retained for the duration of the call.
  func call(_ target: SCNetworkReachability, _ flags: SCNetworkReachabilityFlags) {
    let retained = unsafe context?.retained(info)
    unsafe callout?(target, flags, retained)
    guard unsafe context?.retain != nil, let retained = unsafe retained else { return }
    unsafe context?.release?(retained)
  }

  /// The context's description of the info, `nil` if it has none.
  var contextDescription: String? {
    guard let info = unsafe info, let describe = unsafe context?.copyDescription else { return nil }
    return unsafe String(describing: describe(info).takeRetainedValue())
  }

  deinit {
    guard let info = unsafe info else { return }
    unsafe context?.release?(info)
  }
}

extension SCNetworkReachabilityContext {
  /// Returns the result of the context's retain, or the info itself if there is none.
  fileprivate func retained(_ info: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let retain = unsafe retain, let info = unsafe info else { return unsafe info }
    return unsafe UnsafeMutableRawPointer(mutating: retain(info))
  }
}

/// A program's data for a callback, with the functions that retain and release it.
///
/// The Apple symbol is `SCNetworkReachabilityContext`.
@unsafe public struct SCNetworkReachabilityContext {
  /// The version of this structure, 0; ignored.
  public var version: Int
  /// The data that the callback receives.
  public var info: UnsafeMutableRawPointer?
  /// Retains the info and returns the callback's argument; `nil` to pass the info as it is.
  public var retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?
  /// Releases the info; `nil` if no release is needed.
  public var release: (@convention(c) (UnsafeRawPointer) -> Void)?
  /// Describes the info in the description of the target.
  public var copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?

  /// Creates an empty context.
  public init() {
    unsafe version = 0
  }

  /// Creates a context.
  public init(
    version: Int, info: UnsafeMutableRawPointer?,
    retain: (@convention(c) (UnsafeRawPointer) -> UnsafeRawPointer)?,
    release: (@convention(c) (UnsafeRawPointer) -> Void)?,
    copyDescription: ((UnsafeRawPointer) -> Unmanaged<CFString>)?
  ) {
    unsafe self.version = version
    unsafe self.info = unsafe info
    unsafe self.retain = unsafe retain
    unsafe self.release = unsafe release
    unsafe self.copyDescription = unsafe copyDescription
  }
}
