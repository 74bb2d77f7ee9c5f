import Foundation

/// Describes a status in the user's language: English, Simplified Chinese or one that the app adds.
///
/// An app adds languages, or says it in other words, by a table `AFNetworkReachability` in its main bundle with the
/// English texts as keys. Where the module's bundle was not installed with the program, its texts are English. Safe to use
/// from any thread.
///
/// The original is `AFStringFromNetworkReachabilityStatus`, which looks in the main bundle's table `AFNetworking`.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
  LocalizedTexts.text(of: status, in: [Bundle.main, ResourceBundle.texts].compactMap(\.self))
}

/// The statuses' texts.
enum LocalizedTexts {
  /// Describes a status; the first bundle that has a text for it wins, and English is there without any.
  static func text(of status: AFNetworkReachabilityStatus, in bundles: [Bundle]) -> String {
    let english = english(status)
    return bundles.reversed().reduce(english) { text, bundle in
      bundle.localizedString(forKey: english, value: text, table: "AFNetworkReachability")
    }
  }

  private static func english(_ status: AFNetworkReachabilityStatus) -> String {
    switch status {
    case .notReachable: "Not Reachable"
    case .reachableViaWWAN: "Reachable via WWAN"
    case .reachableViaWiFi: "Reachable via WiFi"
    case .unknown: "Unknown"
    }
  }
}
