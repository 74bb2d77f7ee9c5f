// SPDX-License-Identifier: Apache-2.0
import AppleReachability
import Foundation

/// The view controller of Apple's sample, with lines in place of its views.
@MainActor
final class SampleController {
  private let hostReachability: Reachability
  private let internetReachability: Reachability
  private let wifiReachability: Reachability
  private var observer: (any NSObjectProtocol)?

  init?(host: String) {
    guard let hostReachability = Reachability(hostName: host),
      let internetReachability = Reachability.forInternetConnection(),
      let wifiReachability = Reachability.forLocalWiFi()
    else { return nil }
    self.hostReachability = hostReachability
    self.internetReachability = internetReachability
    self.wifiReachability = wifiReachability
  }

  func start() {
    // Each read of a status also logs the flags, on standard error.
    kShouldPrintReachabilityFlags = true
    observer = NotificationCenter.default.addObserver(
      forName: .reachabilityChanged, object: nil, queue: nil
    ) { [weak self] notification in
      guard let reachability = notification.object as? Reachability else { return }
      // It is posted on the thread of the run loop where the notifier was started, here the main one.
      MainActor.assumeIsolated { self?.show(reachability) }
    }
    for reachability in [hostReachability, internetReachability, wifiReachability] {
      reachability.startNotifier()
      // Starting posts nothing for an address, so the present status is read.
      show(reachability)
    }
  }

  func stop() {
    for reachability in [hostReachability, internetReachability, wifiReachability] {
      reachability.stopNotifier()
    }
    if let observer { NotificationCenter.default.removeObserver(observer) }
  }

  private func show(_ reachability: Reachability) {
    let status = reachability.currentReachabilityStatus()
    var text =
      switch status {
      case .notReachable: "Access Not Available"
      case .reachableViaWWAN: "Reachable WWAN"
      case .reachableViaWiFi: "Reachable WiFi"
      }
    // A connection that does not make the target reachable is of no interest.
    if status != .notReachable, reachability.connectionRequired() { text += ", Connection Required" }
    ClassicMonitor.show(name(of: reachability), text)
  }

  private func name(of reachability: Reachability) -> String {
    if reachability === hostReachability { return "sample: host" }
    return reachability === internetReachability ? "sample: internet" : "sample: local"
  }
}
