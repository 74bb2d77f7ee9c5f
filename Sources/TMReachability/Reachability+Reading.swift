// SPDX-License-Identifier: Apache-2.0
#if !os(watchOS)
import ClassicReachability
import SystemConfiguration
import Foundation

// Each of these reads the flags once, so that an answer describes one moment.
extension Reachability {
  /// Returns whether the target is reachable; over a cellular link only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-isReachable`.
  public func isReachable() -> Bool {
    reachabilityFlags().isReachable(onWWAN: reachableOnWWAN)
  }

  /// Returns whether the target is reachable over a cellular link, even if a connection is required first.
  ///
  /// The original is `-isReachableViaWWAN`.
  public func isReachableViaWWAN() -> Bool {
    reachabilityFlags().isReachableViaWWAN
  }

  /// Returns whether the target is reachable over a link that is not cellular, even if a connection is required first.
  ///
  /// The original is `-isReachableViaWiFi`.
  public func isReachableViaWiFi() -> Bool {
    reachabilityFlags().isReachableViaWiFi
  }

  /// Returns whether a connection must be established first, such as an on-demand VPN.
  ///
  /// The original is `-isConnectionRequired`.
  public func isConnectionRequired() -> Bool {
    reachabilityFlags().contains(.connectionRequired)
  }

  /// Another name for ``isConnectionRequired()``.
  ///
  /// The original is `-connectionRequired`.
  public func connectionRequired() -> Bool {
    isConnectionRequired()
  }

  /// Returns whether a connection must be established first and traffic establishes it.
  ///
  /// The original is `-isConnectionOnDemand`.
  public func isConnectionOnDemand() -> Bool {
    reachabilityFlags().isConnectionOnDemand
  }

  /// Returns whether a connection must be established first and needs user intervention.
  ///
  /// The original is `-isInterventionRequired`.
  public func isInterventionRequired() -> Bool {
    reachabilityFlags().isInterventionRequired
  }

  /// Returns the current status; a cellular link counts only if ``reachableOnWWAN`` is set.
  ///
  /// The original is `-currentReachabilityStatus`.
  public func currentReachabilityStatus() -> NetworkStatus {
    reachabilityFlags().status(onWWAN: reachableOnWWAN)
  }

  /// Returns the current status as text: "Cellular", "WiFi" or "No Connection".
  ///
  /// The text is that of the app's own strings under these keys, or else English or Simplified Chinese. The original is
  /// `-currentReachabilityString`.
  public func currentReachabilityString() -> String {
    switch currentReachabilityStatus() {
    case .ReachableViaWWAN: localized("Cellular")
    case .ReachableViaWiFi: localized("WiFi")
    case .NotReachable: localized("No Connection")
    }
  }

  /// Returns the flags as text, such as `-R ------d`.
  ///
  /// The letters are, in this order: WWAN, reachable; connection required, transient connection, intervention required,
  /// connection on traffic, connection on demand, local address, direct. The original is `-currentReachabilityFlags`.
  public func currentReachabilityFlags() -> String {
    reachabilityFlags().text
  }
}

// The original's rules for the meaning of flags.
extension SCNetworkReachabilityFlags {
  /// Returns whether the target is reachable; one that requires a connection over a transient link is not.
  ///
  /// - Parameter onWWAN: Whether a cellular link counts.
  func isReachable(onWWAN: Bool) -> Bool {
    guard contains(.reachable), !contains([.connectionRequired, .transientConnection]) else { return false }
    return onWWAN || !isOverWWAN
  }

  /// Whether the link is cellular, even if a connection is required.
  var isReachableViaWWAN: Bool { contains(.reachable) && isOverWWAN }

  /// Whether the link is not cellular, even if a connection is required.
  var isReachableViaWiFi: Bool { contains(.reachable) && !isOverWWAN }

  /// Returns the status, with or without cellular links.
  func status(onWWAN: Bool) -> NetworkStatus {
    guard isReachable(onWWAN: onWWAN) else { return .NotReachable }
    return isOverWWAN ? .ReachableViaWWAN : .ReachableViaWiFi
  }

  var isConnectionOnDemand: Bool {
    contains(.connectionRequired) && !isDisjoint(with: [.connectionOnTraffic, .connectionOnDemand])
  }

  var isInterventionRequired: Bool { contains([.connectionRequired, .interventionRequired]) }

  /// One character for each flag, `-` where it is not set and `X` where the system reports no cellular links.
  var text: String { Self.reportWWAN ? text("WR ctiCDld") : "X" + text("R ctiCDld") }
}

/// The texts of an app and of this module, whose keys are the English texts.
struct Localization: Sendable {
  private let app: StringTables
  private let module: StringTables

  /// Reads the main table of an app, and the texts of this module.
  init(app: Bundle, module: Bundle?) {
    self.app = StringTables(["Localizable"], in: app)
    self.module = StringTables(["Localizable"], in: module)
  }

  /// The texts of this program.
  static let ofProgram = Localization(app: .main, module: resources)

  /// This module's resources, `nil` if they were not installed with the program.
  static var resources: Bundle? {
    ResourceBundle.bundle(of: "TMReachability", near: [.main, Bundle(for: Reachability.self)])
  }

  /// Returns a text in the first language of a list that has one, or in English.
  func text(_ key: String, preferring languages: [String]) -> String {
    StringTables.text(key, app: app, module: module, preferring: languages)
  }
}

/// Returns a text in the user's language, from the app's own strings or else from this module's.
func localized(_ key: String) -> String {
  Localization.ofProgram.text(key, preferring: PreferredLanguages.current)
}

// The spellings of Objective-C, so that the compiler names their replacements in code that was translated word by word.
extension Reachability {
  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostname:)")
  public static func reachabilityWithHostname(_ hostname: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(hostName:)")
  public static func reachabilityWithHostName(_ hostname: String) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(url:)")
  public static func reachabilityWithURL(_ url: URL) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "init(address:)")
  public static func reachabilityWithAddress(_ hostAddress: UnsafeMutableRawPointer) -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forInternetConnection()")
  public static func reachabilityForInternetConnection() -> Reachability! { nil }

  /// The spelling of Objective-C.
  @available(*, unavailable, renamed: "forLocalWiFi()")
  public static func reachabilityForLocalWiFi() -> Reachability! { nil }
}
#endif
