/// A target that other threads hold.
// Safe to share: everything mutable in a target is in its Mutex. The class is not `Sendable` because Apple's is not.
struct SharedTarget: @unchecked Sendable {
  let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }
}
