// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// An observer on the main actor, with its callback in a constant: Swift 5 mode only.
@MainActor final class ConstantObserver {
  private let target: SCNetworkReachability
  private(set) var flags: [UInt32] = []

  private let callback: SCNetworkReachabilityCallBack = { _, flags, info in
    guard let info = info else { return }
    Unmanaged<ConstantObserver>.fromOpaque(info).takeUnretainedValue().receive(flags)
  }

  static let shared: SCNetworkReachabilityCallBack = { _, flags, info in
    guard let info = info else { return }
    Unmanaged<ConstantObserver>.fromOpaque(info).takeUnretainedValue().receive(flags)
  }

  init(host: String) {
    target = SCNetworkReachabilityCreateWithName(nil, host)!
  }

  func receive(_ new: SCNetworkReachabilityFlags) { flags.append(new.rawValue) }

  /// Returns whether the constant received a call.
  func run(_ other: SCNetworkReachabilityCallBack? = nil) -> Bool {
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil,
      copyDescription: nil)
    let before = flags.count
    guard SCNetworkReachabilitySetCallback(target, other ?? callback, &context),
      SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
    else { return false }
    let limit = Date(timeIntervalSinceNow: 20)
    while flags.count == before, Date() < limit { _ = RunLoop.main.run(mode: .default, before: limit) }
    SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
    SCNetworkReachabilitySetCallback(target, nil, nil)
    return flags.count > before
  }
}
