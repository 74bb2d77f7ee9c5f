// SPDX-License-Identifier: Apache-2.0
import ClassicReachability
import Foundation

/// Returns a description of a status in the user's language: English, Simplified Chinese or one that the app has.
///
/// An app adds or changes texts in its main bundle, with a table `AFNetworkReachability` or `AFNetworking`, whose keys
/// are the English texts. If the module's bundle was not installed with the program, the module's texts are English.
/// Safe to use from any thread.
///
/// The original is `AFStringFromNetworkReachabilityStatus`, which reads the table `AFNetworking`.
public func AFStringFromNetworkReachabilityStatus(_ status: AFNetworkReachabilityStatus) -> String {
  LocalizedTexts.ofProgram.text(of: status, preferring: PreferredLanguages.current)
}

/// The texts of the statuses.
struct LocalizedTexts: Sendable {
  private let app: StringTables
  private let module: StringTables

  /// Reads the texts of an app and of this module.
  init(app: Bundle, module: Bundle?) {
    self.app = StringTables(["AFNetworkReachability", "AFNetworking"], in: app)
    self.module = StringTables(["AFNetworkReachability"], in: module)
  }

  static let ofProgram = LocalizedTexts(
    app: .main,
    // In a framework or a test, the main bundle belongs to another program.
    module: ResourceBundle.bundle(of: "AFNetworkReachability", near: [.main, Bundle(for: Anchor.self)]))

  private final class Anchor {}

  /// Returns the text of a status in the first language of a list that has one, or in English.
  func text(of status: AFNetworkReachabilityStatus, preferring languages: [String]) -> String {
    StringTables.text(Self.english(status), app: app, module: module, preferring: languages)
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
