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
