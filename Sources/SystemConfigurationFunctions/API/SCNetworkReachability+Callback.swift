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
