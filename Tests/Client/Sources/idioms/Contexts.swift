// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// An observer behind a box that refers to it weakly; the context retains the box.
final class BoxedObserver: @unchecked Sendable {
  private final class WeakBox {
    weak var observer: BoxedObserver?
    init(_ observer: BoxedObserver) { self.observer = observer }
    deinit { BoxedObserver.boxes.signal() }
  }

  /// Signalled when a box is released.
  static let boxes = DispatchSemaphore(value: 0)
  let called = DispatchSemaphore(value: 0)
  private let target: SCNetworkReachability
  private let queue = DispatchQueue(label: "boxed", qos: .utility, attributes: [], target: .global())

  init(_ target: SCNetworkReachability) { self.target = target }

  func start() -> Bool {
    let box = WeakBox(self)
    let opaque = Unmanaged<WeakBox>.passUnretained(box).toOpaque()
    var context = SCNetworkReachabilityContext(
      version: 0,
      info: UnsafeMutableRawPointer(opaque),
      retain: { (info: UnsafeRawPointer) -> UnsafeRawPointer in
        let unmanaged = Unmanaged<WeakBox>.fromOpaque(info)
        _ = unmanaged.retain()
        return UnsafeRawPointer(unmanaged.toOpaque())
      },
      release: { (info: UnsafeRawPointer) -> Void in
        let unmanaged = Unmanaged<WeakBox>.fromOpaque(info)
        unmanaged.release()
      },
      copyDescription: { (info: UnsafeRawPointer) -> Unmanaged<CFString> in
        let unmanaged = Unmanaged<WeakBox>.fromOpaque(info)
        let observer = unmanaged.takeUnretainedValue().observer
        let description = observer.map { "\($0.target)" } ?? "released"
        return Unmanaged.passRetained(description as CFString)
      })
    let callback: SCNetworkReachabilityCallBack = { (target, flags, info) in
      guard let info = info else { return }
      Unmanaged<WeakBox>.fromOpaque(info).takeUnretainedValue().observer?.called.signal()
    }
    guard SCNetworkReachabilitySetCallback(target, callback, &context) else { return false }
    guard SCNetworkReachabilitySetDispatchQueue(target, queue) else {
      SCNetworkReachabilitySetCallback(target, nil, nil)
      return false
    }
    return true
  }

  deinit {
    SCNetworkReachabilitySetCallback(target, nil, nil)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }
}

/// Whether an observer is called, and whether its box goes with it.
func observeFromABox() -> [Bool] {
  var observer = SCNetworkReachabilityCreateWithName(nil, "listed.test").map(BoxedObserver.init)
  let isStarted = observer?.start() == true
  let isCalled = observer?.called.wait(timeout: .now() + 20) == .success
  let isBoxed = BoxedObserver.boxes.wait(timeout: .now()) == .timedOut
  observer = nil
  return [isStarted, isCalled, isBoxed, BoxedObserver.boxes.wait(timeout: .now() + 20) == .success]
}

/// Balances one retain by hand, without functions in the context.
final class RetainedInfo {
  var flags: SCNetworkReachabilityFlags?
  let called = DispatchSemaphore(value: 0)
  static let released = DispatchSemaphore(value: 0)
  deinit { RetainedInfo.released.signal() }
}

func observeWithRetainedInfo() -> [Bool] {
  guard let target = SCNetworkReachabilityCreateWithName(nil, "listed.test") else { return [] }
  let info = Unmanaged.passRetained(RetainedInfo())
  var context = SCNetworkReachabilityContext()
  context.version = 0
  context.info = info.toOpaque()
  let isSet = withUnsafeMutablePointer(to: &context) {
    SCNetworkReachabilitySetCallback(
      target,
      { (target: SCNetworkReachability, flags: SCNetworkReachabilityFlags, info: UnsafeMutableRawPointer?) -> Void in
        let retained = Unmanaged<RetainedInfo>.fromOpaque(info!).takeUnretainedValue()
        retained.flags = flags
        retained.called.signal()
      }, $0)
  }
  let queue = DispatchQueue(label: "retained", qos: DispatchQoS(qosClass: .background, relativePriority: 0))
  SCNetworkReachabilitySetDispatchQueue(target, queue)
  let isCalled = info.takeUnretainedValue().called.wait(timeout: .now() + 20) == .success
  let isOn = info.takeUnretainedValue().flags == [.reachable, .isDirect]
  SCNetworkReachabilitySetDispatchQueue(target, nil)
  SCNetworkReachabilitySetCallback(target, nil, nil)
  // The call may still run on the queue.
  queue.sync { info.release() }
  return [isSet, isCalled, isOn, RetainedInfo.released.wait(timeout: .now() + 20) == .success]
}

/// Functions of the context by name.
private func retainInfo(_ info: UnsafeRawPointer) -> UnsafeRawPointer {
  _ = Unmanaged<RetainedInfo>.fromOpaque(info).retain()
  return info
}

private func releaseInfo(_ info: UnsafeRawPointer) { Unmanaged<RetainedInfo>.fromOpaque(info).release() }

private func describeInfo(_ info: UnsafeRawPointer) -> Unmanaged<CFString> { .passRetained("info" as CFString) }

func replaceContexts() -> [Bool] {
  guard let target = SCNetworkReachabilityCreateWithName(nil, "listed.test") else { return [] }
  let ignore: SCNetworkReachabilityCallBack = { (_: SCNetworkReachability, _, _: UnsafeMutableRawPointer?) in }
  func set(_ info: RetainedInfo) -> Bool {
    var context = SCNetworkReachabilityContext(
      version: 0, info: Unmanaged.passUnretained(info).toOpaque(), retain: retainInfo, release: releaseInfo,
      copyDescription: describeInfo)
    return SCNetworkReachabilitySetCallback(target, ignore, &context)
  }
  func isReleased() -> Bool { RetainedInfo.released.wait(timeout: .now()) == .success }
  return [
    set(RetainedInfo()), !isReleased(), set(RetainedInfo()), isReleased(), !isReleased(),
    SCNetworkReachabilitySetCallback(target, nil, nil), isReleased(),
  ]
}

/// A value as the info, and a context on the heap.
func observeWithPointers() -> UInt32 {
  guard let target = SCNetworkReachabilityCreateWithName(nil, "listed.test") else { return 0 }
  let count = UnsafeMutablePointer<UInt32>.allocate(capacity: 1)
  count.initialize(to: 0)
  let context = UnsafeMutablePointer<SCNetworkReachabilityContext>.allocate(capacity: 1)
  context.initialize(to: SCNetworkReachabilityContext(version: 0, info: count, retain: nil, release: nil, copyDescription: nil))
  defer {
    count.deallocate()
    context.deallocate()
  }
  let callback: SCNetworkReachabilityCallBack? = { _, _, info in
    info?.assumingMemoryBound(to: UInt32.self).pointee += 1
    CFRunLoopStop(CFRunLoopGetCurrent())
  }
  SCNetworkReachabilitySetCallback(target, callback, context)
  SCNetworkReachabilityScheduleWithRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
  CFRunLoopRunInMode(CFRunLoopMode.defaultMode, 20, false)
  SCNetworkReachabilityUnscheduleFromRunLoop(target, CFRunLoopGetCurrent(), CFRunLoopMode.defaultMode.rawValue)
  SCNetworkReachabilitySetCallback(target, nil, nil)
  return count.pointee
}
