/// A callback with its context: what `SCNetworkReachabilitySetCallback` was given.
// Safe to share: nothing in it changes. That a closure and an info are used on other threads than those that set them
// is what a callback is for.
@safe final class Callback: @unchecked Sendable {
  private let callout: SCNetworkReachabilityCallBack?
  private let context: SCNetworkReachabilityContext?
  /// What the first retain returned.
  private let info: UnsafeMutableRawPointer?

  init(_ callout: SCNetworkReachabilityCallBack?, _ context: SCNetworkReachabilityContext?) {
    unsafe self.callout = unsafe callout
    unsafe self.context = unsafe context
    unsafe info = unsafe context?.retained(context?.info)
  }

  /// Calls it, with the info retained meanwhile.
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
  /// The info as its retain returns it, or as it is if there is none.
  fileprivate func retained(_ info: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
    guard let retain = unsafe retain, let info = unsafe info else { return unsafe info }
    return unsafe UnsafeMutableRawPointer(mutating: retain(info))
  }
}
