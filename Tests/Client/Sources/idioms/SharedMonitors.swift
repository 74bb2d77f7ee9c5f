// SPDX-License-Identifier: Apache-2.0
// A user's code, so not in this project's style.
// swift-format-ignore-file

import Foundation
import SystemConfiguration

extension Notification.Name {
  static let networkDidChange = Notification.Name("networkDidChange")
}

/// A singleton that observes its own property, calls a delegate and a closure, and posts a notification.
final class NetworkStatusCenter: NSObject, @unchecked Sendable {
  enum Status: Equatable, CustomStringConvertible {
    case unknown, offline, online(direct: Bool)
    var description: String {
      switch self {
      case .unknown: return "unknown"
      case .offline: return "offline"
      case let .online(direct): return direct ? "online, direct" : "online"
      }
    }
  }

  static let shared = NetworkStatusCenter()
  static let statusKey = "status"

  weak var delegate: NetworkStatusDelegate?
  var onChange: ((Status) -> Void)?
  private(set) var history: [String] = []
  private(set) var status: Status = .unknown {
    willSet { history.append("will be \(newValue)") }
    didSet {
      guard oldValue != status else { return }
      history.append("was \(oldValue)")
      delegate?.network(self, didChangeTo: status)
      onChange?(status)
      NotificationCenter.default.post(
        name: .networkDidChange, object: self, userInfo: [NetworkStatusCenter.statusKey: status.description])
    }
  }

  private lazy var target: SCNetworkReachability? = SCNetworkReachabilityCreateWithName(nil, "listed.test")
  private var isListening = false

  private override init() { super.init() }

  @discardableResult func startListening() -> Bool {
    guard !isListening, let target = target else { return isListening }
    var context = SCNetworkReachabilityContext(version: 0, info: nil, retain: nil, release: nil, copyDescription: nil)
    context.info = Unmanaged<NetworkStatusCenter>.passUnretained(self).toOpaque()
    isListening =
      SCNetworkReachabilitySetCallback(
        target,
        { (_, flags, info) in
          guard let info = info else { return }
          let center = Unmanaged<NetworkStatusCenter>.fromOpaque(info).takeUnretainedValue()
          DispatchQueue.main.async { center.flagsChanged(flags) }
        }, &context) && SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue.main)
    return isListening
  }

  func stopListening() {
    defer { isListening = false }
    guard let target = target else { return }
    SCNetworkReachabilitySetCallback(target, nil, nil)
    SCNetworkReachabilitySetDispatchQueue(target, nil)
  }

  private func flagsChanged(_ flags: SCNetworkReachabilityFlags) {
    status = flags.contains(.reachable) ? .online(direct: flags.contains(.isDirect)) : .offline
  }
}

protocol NetworkStatusDelegate: AnyObject {
  func network(_ center: NetworkStatusCenter, didChangeTo status: NetworkStatusCenter.Status)
}

final class DelegateLog: NetworkStatusDelegate {
  var lines: [String] = []
  func network(_ center: NetworkStatusCenter, didChangeTo status: NetworkStatusCenter.Status) {
    lines.append("delegate: \(status)")
  }
}

/// Runs the main run loop until the singleton has reported once; returns what was reported.
func listenToTheSharedCenter() -> [String] {
  final class Lines: @unchecked Sendable { var lines: [String] = [] }
  let center = NetworkStatusCenter.shared
  let log = DelegateLog()
  let lines = Lines()
  center.delegate = log
  center.onChange = { lines.lines.append("closure: \($0)") }
  let token = NotificationCenter.default.addObserver(forName: .networkDidChange, object: center, queue: .main) { note in
    lines.lines.append("notification: \(note.userInfo?[NetworkStatusCenter.statusKey] as? String ?? "none")")
  }
  defer { NotificationCenter.default.removeObserver(token) }
  guard center.startListening(), center.startListening() else { return [] }
  let limit = Date(timeIntervalSinceNow: 20)
  while lines.lines.count < 2, Date() < limit { _ = RunLoop.main.run(mode: .default, before: limit) }
  center.stopListening()
  return log.lines + lines.lines + center.history
}
