#if !os(watchOS)
import Foundation
import Synchronization
import SystemConfiguration

extension NetworkStatus {
  /// Reads flags as the sample does.
  ///
  /// Reachable is what needs no connection, or makes it by itself without anybody's help. Over a cellular link a
  /// connection that is still to be made does not count.
  init(_ flags: SCNetworkReachabilityFlags) {
    let makesConnection = !flags.isDisjoint(with: [.connectionOnDemand, .connectionOnTraffic])
    let needsHelp = flags.contains(.interventionRequired)
    self = .notReachable
    guard flags.contains(.reachable) else { return }
    if !flags.contains(.connectionRequired) || (makesConnection && !needsHelp) { self = .reachableViaWiFi }
    if flags.isOverWWAN { self = .reachableViaWWAN }
  }

  /// Reads the flags of a link-local address, which tell whether there is a local network.
  init(localWiFi flags: SCNetworkReachabilityFlags) {
    self = flags.contains([.reachable, .isDirect]) ? .reachableViaWiFi : .notReachable
  }
}

extension SCNetworkReachabilityFlags {
  /// Whether the link is cellular, where there are such links.
  var isOverWWAN: Bool { platformHasWWAN && rawValue & wwan != 0 }

  /// One character for each flag, `-` where it is not set, such as `-R -----l-`.
  var text: String {
    let isSet: (SCNetworkReachabilityFlags, Character) -> Character = { contains($0) ? $1 : "-" }
    return String([
      isOverWWAN ? "W" : "-", isSet(.reachable, "R"), " ",
      isSet(.transientConnection, "t"), isSet(.connectionRequired, "c"), isSet(.connectionOnTraffic, "C"),
      isSet(.interventionRequired, "i"), isSet(.connectionOnDemand, "D"), isSet(.isLocalAddress, "l"),
      isSet(.isDirect, "d"),
    ])
  }

  /// Prints the flags, and what they are read for, if that is switched on.
  func printIfWanted(_ comment: String) {
    guard kShouldPrintReachabilityFlags else { return }
    NSLog("%@", "Reachability Flag Status: \(text) \(comment)")
  }

  /// The bit of a flag that Apple's header keeps from macOS.
  private var wwan: UInt32 { 1 << 18 }
}

/// Whether flags are printed each time that a status is read from them; `false` at first.
///
/// Safe to use from any thread. The original is `kShouldPrintReachabilityFlags`, a constant at the head of the sample's
/// file.
public var kShouldPrintReachabilityFlags: Bool {
  get { shouldPrint.load(ordering: .relaxed) }
  set { shouldPrint.store(newValue, ordering: .relaxed) }
}

private let shouldPrint = Atomic(false)
#endif
