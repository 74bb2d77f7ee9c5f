#if !os(watchOS)
import ClassicReachability
import Foundation
import Synchronization
import SystemConfiguration

/// Whether each read of a status prints its flags; `false` by default.
///
/// Safe to use from any thread. The original is `kShouldPrintReachabilityFlags`, a constant at the top of the sample's
/// file.
public var kShouldPrintReachabilityFlags: Bool {
  get { shouldPrint.load(ordering: .relaxed) }
  set { shouldPrint.store(newValue, ordering: .relaxed) }
}

private let shouldPrint = Atomic(false)

extension SCNetworkReachabilityFlags {
  /// One character for each flag, `-` where it is not set, such as `-R -----l-`.
  var text: String { text("WR tcCiDld") }

  /// Prints the flags with a comment if ``kShouldPrintReachabilityFlags`` is set.
  func printIfWanted(_ comment: String) {
    guard kShouldPrintReachabilityFlags else { return }
    NSLog("%@", "Reachability Flag Status: \(text) \(comment)")
  }
}
#endif
