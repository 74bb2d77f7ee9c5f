import ReachabilityKit

/// Reads the current flags of a target.
///
/// It never waits for a network. A name that is not scheduled is not looked up: its flags are those of the default
/// path, where it may be reachable. The flags of a scheduled target are the ones that its callback receives.
///
/// - Parameters:
///   - target: The target.
///   - flags: Receives the flags.
/// - Returns: `true`, even for an unreachable target, whose flags say so. `false`, with the status
///   `kSCStatusReachabilityUnknown`, only if the kernel cannot be queried.
///
/// The Apple symbol is `SCNetworkReachabilityGetFlags`.
@discardableResult
public func SCNetworkReachabilityGetFlags(
  _ target: SCNetworkReachability, _ flags: UnsafeMutablePointer<SCNetworkReachabilityFlags>
) -> Bool {
  guard let read = target.readFlags() else { return fail(kSCStatusReachabilityUnknown) }
  unsafe flags.pointee = read
  return true
}

extension SCNetworkReachability {
  fileprivate func readFlags() -> SCNetworkReachabilityFlags? {
    let known = state.withLock { state -> SCNetworkReachabilityFlags?? in
      state.schedule == nil ? nil : .some(state.machine.readFlags())
    }
    if let known { return known }
    return currentMonitor().flatMap {
      subject.unscheduledReading(subject.unscheduledStatus(in: $0)).flags
    }
  }
}
