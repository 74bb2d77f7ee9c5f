import Synchronization

/// Sets what is called when a target's flags, interface or number of addresses change, or takes it away.
///
/// It may be set at any time, also while the target is scheduled. The context's info is retained, and released when
/// another context takes its place or the target goes, but not before a call with it has returned.
///
/// - Parameters:
///   - target: The target.
///   - callout: What to call; `nil` for nothing.
///   - context: What to call it with; copied.
/// - Returns: `true`.
///
/// The Apple symbol is `SCNetworkReachabilitySetCallback`.
@discardableResult
public func SCNetworkReachabilitySetCallback(
  _ target: SCNetworkReachability, _ callout: SCNetworkReachabilityCallBack?,
  _ context: UnsafeMutablePointer<SCNetworkReachabilityContext>?
) -> Bool {
  let callback = unsafe Callback(callout, context?.pointee)
  // The old one goes outside of the lock, since its release is the program's own code.
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

  /// Makes a call; no lock is held, so it may do anything with the target.
  func perform(_ call: Call) {
    call.callback?.call(self, call.flags)
  }
}
