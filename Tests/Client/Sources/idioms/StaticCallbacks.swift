// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// An observer whose callback is a static constant.
final class StaticObserver: @unchecked Sendable {
  private static let callback: SCNetworkReachabilityCallBack = { _, flags, info in
    guard let info = info else { return }
    Unmanaged<StaticObserver>.fromOpaque(info).takeUnretainedValue().receive(flags)
  }

  private let target: SCNetworkReachability
  private let received = DispatchSemaphore(value: 0)
  private var last: SCNetworkReachabilityFlags?

  init?(host: String) {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
    self.target = target
  }

  private func receive(_ flags: SCNetworkReachabilityFlags) {
    last = flags
    received.signal()
  }

  /// Returns the flags of the first call.
  func first(_ callback: SCNetworkReachabilityCallBack? = nil, byFunction: Bool = false) -> UInt32? {
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(self).toOpaque(), retain: nil, release: nil,
      copyDescription: nil)
    let isSet =
      byFunction
      ? SCNetworkReachabilitySetCallback(target, callbackFunction, &context)
      : SCNetworkReachabilitySetCallback(target, callback ?? StaticObserver.callback, &context)
    guard isSet,
      SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "observer"))
    else { return nil }
    defer {
      SCNetworkReachabilitySetDispatchQueue(target, nil)
      SCNetworkReachabilitySetCallback(target, nil, nil)
    }
    return received.wait(timeout: .now() + 20) == .success ? last?.rawValue : nil
  }

  func signal() {
    last = SCNetworkReachabilityFlags(rawValue: 0)
    received.signal()
  }
}

/// A callback of the top level, and a function in place of a closure.
let globalCallback: SCNetworkReachabilityCallBack = { _, _, info in
  guard let info = info else { return }
  Unmanaged<StaticObserver>.fromOpaque(info).takeUnretainedValue().signal()
}

func callbackFunction(
  target: SCNetworkReachability, flags: SCNetworkReachabilityFlags, info: UnsafeMutableRawPointer?
) {
  globalCallback(target, flags, info)
}

/// A model on the main actor, whose callback runs on the main run loop.
@MainActor final class MainObserver {
  private let target: SCNetworkReachability
  private(set) var calls = 0

  init?(host: String) {
    guard let target = SCNetworkReachabilityCreateWithName(nil, host) else { return nil }
    self.target = target
  }

  func receive(_ flags: SCNetworkReachabilityFlags) {
    calls += 1
  }

  func start() -> Bool {
    var context = SCNetworkReachabilityContext()
    context.info = Unmanaged.passUnretained(self).toOpaque()
    let isSet = SCNetworkReachabilitySetCallback(
      target,
      { _, flags, info in
        guard let info = info else { return }
        let observer = Unmanaged<MainObserver>.fromOpaque(info).takeUnretainedValue()
        observer.receive(flags)
      }, &context)
    return isSet
      && SCNetworkReachabilityScheduleWithRunLoop(
        target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
  }

  func stop() {
    SCNetworkReachabilityUnscheduleFromRunLoop(
      target, CFRunLoopGetMain(), CFRunLoopMode.commonModes.rawValue)
    SCNetworkReachabilitySetCallback(target, nil, nil)
  }
}
