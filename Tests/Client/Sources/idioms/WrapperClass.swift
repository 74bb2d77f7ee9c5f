// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

/// A wrapper as many apps have one: throwing initializers, closures, a notifier that may be started once.
public class HostWatcher {
  public enum WatchError: Error, LocalizedError {
    case failedToCreate(host: String, code: Int32)
    case unableToSetCallback(Int32)
    case unableToSetDispatchQueue(Int32)

    public var errorDescription: String? {
      switch self {
      case let .failedToCreate(host, code): return "cannot watch '\(host)': \(String(cString: SCErrorString(code)))"
      case .unableToSetCallback(let code), .unableToSetDispatchQueue(let code): return "error \(code)"
      }
    }
  }

  public typealias Handler = (HostWatcher) -> Void
  public var whenReachable: Handler?
  public var whenUnreachable: Handler?
  public private(set) var isRunning = false
  public private(set) var lastFlags: SCNetworkReachabilityFlags?

  fileprivate let serialQueue: DispatchQueue
  fileprivate let notificationQueue: DispatchQueue?
  fileprivate let reachabilityRef: SCNetworkReachability

  public required init(reachabilityRef: SCNetworkReachability, qos: DispatchQoS = .default, targetQueue: DispatchQueue? = nil, notificationQueue: DispatchQueue? = nil) {
    self.reachabilityRef = reachabilityRef
    self.serialQueue = DispatchQueue(label: "watcher", qos: qos, target: targetQueue)
    self.notificationQueue = notificationQueue
  }

  public convenience init(hostname: String) throws {
    guard let ref = SCNetworkReachabilityCreateWithName(nil, hostname) else {
      throw WatchError.failedToCreate(host: hostname, code: SCError())
    }
    self.init(reachabilityRef: ref)
  }

  deinit { stop() }

  public func start() throws {
    guard !isRunning else { return }
    let callback: SCNetworkReachabilityCallBack = { (reachability, flags, info) in
      guard let info = info else { return }
      let watcher = Unmanaged<HostWatcher>.fromOpaque(info).takeUnretainedValue()
      watcher.lastFlags = flags
      watcher.notify()
    }
    var context = SCNetworkReachabilityContext(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    context.info = UnsafeMutableRawPointer(Unmanaged<HostWatcher>.passUnretained(self).toOpaque())
    if !SCNetworkReachabilitySetCallback(reachabilityRef, callback, &context) {
      stop()
      throw WatchError.unableToSetCallback(SCError())
    }
    if !SCNetworkReachabilitySetDispatchQueue(reachabilityRef, serialQueue) {
      let code = SCError()
      stop()
      throw WatchError.unableToSetDispatchQueue(code)
    }
    isRunning = true
  }

  public func stop() {
    defer { isRunning = false }
    SCNetworkReachabilitySetCallback(reachabilityRef, nil, nil)
    SCNetworkReachabilitySetDispatchQueue(reachabilityRef, nil)
  }

  private func notify() {
    let block = lastFlags?.contains(.reachable) == true ? whenReachable : whenUnreachable
    block?(self)
  }
}

func watchHost() -> [String] {
  var lines: [String] = []
  let done = DispatchSemaphore(value: 0)
  do {
    let watcher = try HostWatcher(hostname: "listed.test")
    watcher.whenReachable = { _ in done.signal() }
    try watcher.start()
    try watcher.start()
    lines.append("reachable: \(done.wait(timeout: .now() + 20) == .success) \(watcher.isRunning)")
    // Another wrapper of the same target cannot use another queue.
    let second = HostWatcher(reachabilityRef: watcher.reachabilityRef)
    do { try second.start() } catch { lines.append("second: \(error.localizedDescription)") }
    watcher.stop()
    lines.append("stopped: \(!watcher.isRunning)")
    _ = try HostWatcher(hostname: "")
  } catch {
    lines.append(error.localizedDescription)
  }
  return lines
}
