import Foundation

/// Returns a description of a status in the user's language: English, Simplified Chinese or one that the app adds.
///
/// An app adds or changes texts with a table `AFNetworkReachability` in its main bundle, whose keys are the English
/// texts. If the module's bundle was not installed with the program, the texts are English. Safe to use from any
/// thread.
///
/// The original is `AFStringFromNetworkReachabilityStatus`, which reads the main bundle's table `AFNetworking`.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
  LocalizedTexts.text(of: status, in: [Bundle.main, ResourceBundle.texts].compactMap(\.self))
}

/// The texts of the statuses.
enum LocalizedTexts {
  /// Returns the text of the first bundle that has one, or else the English text.
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
