// SPDX-License-Identifier: Apache-2.0
import Foundation
import SystemConfiguration

/// The C functions: create a target, set a callback with a context, schedule it, read the flags.
final class TargetMonitor {
  private let target: SCNetworkReachability

  init?(host: String) {
    guard let target = SCNetworkReachabilityCreateWithName(kCFAllocatorDefault, host) else { return nil }
    self.target = target
  }

  func start() -> Bool {
    // The info is not retained: the owner of this object calls `stop()` before releasing it.
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil,
      copyDescription: nil)
    // A C function captures nothing; the info leads it to the object.
    let callback: SCNetworkReachabilityCallBack = { _, flags, info in
      guard let info else { return }
      Unmanaged<TargetMonitor>.fromOpaque(info).takeUnretainedValue().show(flags)
    }
    guard SCNetworkReachabilitySetCallback(target, callback, &context),
      SCNetworkReachabilityScheduleWithRunLoop(
        target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
    else { return false }
    // Scheduling an address calls nothing, so the first flags are read.
    var flags = SCNetworkReachabilityFlags()
    guard SCNetworkReachabilityGetFlags(target, &flags) else { return false }
    show(flags)
    return true
  }

  func stop() {
    SCNetworkReachabilityUnscheduleFromRunLoop(
      target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
    SCNetworkReachabilitySetCallback(target, nil, nil)
  }

  private func show(_ flags: SCNetworkReachabilityFlags) {
    ClassicMonitor.show("flags", flags.letters)
  }
}

extension SCNetworkReachabilityFlags {
  /// A letter for each flag, in the order of Apple's sample; `-` where it is not set.
  fileprivate var letters: String {
    var letters: [(SCNetworkReachabilityFlags, Character)] = [
      (.reachable, "R"), (.transientConnection, "t"), (.connectionRequired, "c"),
      (.connectionOnTraffic, "C"), (.interventionRequired, "i"), (.connectionOnDemand, "D"),
      (.isLocalAddress, "l"), (.isDirect, "d"),
    ]
    #if !os(macOS)
    letters.insert((.isWWAN, "W"), at: 0)
    #endif
    return String(letters.map { contains($0.0) ? $0.1 : "-" })
  }
}
