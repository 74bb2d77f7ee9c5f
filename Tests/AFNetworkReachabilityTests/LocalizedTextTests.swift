// SPDX-License-Identifier: Apache-2.0
import ClassicReachability
import DeadlineSupport
import Foundation
import Testing

@testable import AFNetworkReachability

@Suite(.deadline) struct LocalizedTextTests {
  private let statuses: [AFNetworkReachabilityStatus] = [
    .unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi,
  ]
  private let english = ["Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi"]
  private let chinese = ["未知", "无法连接", "可通过蜂窝网络连接", "可通过 Wi-Fi 连接"]

  private func module() throws -> Bundle {
    try #require(
      ResourceBundle.bundle(of: "AFNetworkReachability", near: Bundle.allBundles + [.main]))
  }

  private func texts(_ texts: LocalizedTexts, _ languages: [String]) -> [String] {
    statuses.map { texts.text(of: $0, preferring: languages) }
  }

  /// An app with tables in a folder, which lasts as long as this object.
  private final class App {
    let folder = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).bundle")

    /// Creates files, such as `de.lproj/TABLE.strings`, with one text each.
    init(_ tables: [String: String]) throws {
      for (path, text) in tables {
        let file = folder.appending(path: path)
        try FileManager.default.createDirectory(
          at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("\"Unknown\" = \"\(text)\";".utf8).write(to: file)
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func bundle() throws -> Bundle { try #require(Bundle(url: folder)) }
  }

  @Test(arguments: [[], ["en"], ["en_US"], ["fr"], ["zh_TW"], ["zh-Hant"], ["en", "zh_CN"]])
  func `languages other than Simplified Chinese get English`(languages: [String]) throws {
    #expect(texts(LocalizedTexts(app: .main, module: try module()), languages) == english)
  }

  @Test(arguments: [["zh_CN"], ["zh"], ["zh_SG"], ["zh-Hans"], ["fr", "zh_CN", "en"]])
  func `Simplified Chinese has its own texts`(languages: [String]) throws {
    #expect(texts(LocalizedTexts(app: .main, module: try module()), languages) == chinese)
  }

  @Test func `the module's bundle has each English text`() throws {
    let tables = StringTables(["AFNetworkReachability"], in: try module())
    let empty = StringTables([], in: nil)
    for text in english {
      #expect(StringTables.text(text, app: empty, module: tables, preferring: ["en"]) == text)
    }
  }

  @Test func `without a bundle the texts are English`() {
    let texts = texts(LocalizedTexts(app: .main, module: nil), ["zh_CN"])
    #expect(texts == english)
  }

  @Test(
    arguments: [
      ("de_DE", "Keine Ahnung"), ("de_AT", "Keine Ahnung"), ("zh_CN", "未知"), ("en", "Unknown"),
      ("fr", "Unknown"),
    ])
  func `an app's text counts in its language`(language: String, text: String) throws {
    let app = try App(["de.lproj/AFNetworkReachability.strings": "Keine Ahnung"])
    let texts = LocalizedTexts(app: try app.bundle(), module: try module())
    #expect(texts.text(of: .unknown, preferring: [language]) == text)
    // What the app does not have, the module has.
    let other = language == "zh_CN" ? "无法连接" : "Not Reachable"
    #expect(texts.text(of: .notReachable, preferring: [language]) == other)
  }

  @Test(
    arguments: [
      ("zh_CN", "不知道"), ("zh", "不知道"), ("zh_TW", "No idea"), ("en_GB", "No idea"), ("fr", "No idea"),
    ])
  func `each of an app's languages counts`(language: String, text: String) throws {
    let app = try App([
      "en.lproj/AFNetworkReachability.strings": "No idea",
      "zh-Hans.lproj/AFNetworkReachability.strings": "不知道",
    ])
    let texts = LocalizedTexts(app: try app.bundle(), module: try module())
    #expect(texts.text(of: .unknown, preferring: [language]) == text)
  }

  @Test func `the original's table counts, after the module's`() throws {
    let app = try App(["de.lproj/AFNetworking.strings": "Unbekannt"])
    let texts = LocalizedTexts(app: try app.bundle(), module: try module())
    #expect(texts.text(of: .unknown, preferring: ["de_DE"]) == "Unbekannt")
    let both = try App([
      "de.lproj/AFNetworking.strings": "Unbekannt", "de.lproj/AFNetworkReachability.strings": "Keine Ahnung",
    ])
    let own = LocalizedTexts(app: try both.bundle(), module: try module())
    #expect(own.text(of: .unknown, preferring: ["de_DE"]) == "Keine Ahnung")
  }

  @Test func `an app's base texts are English ones`() throws {
    let app = try App(["Base.lproj/AFNetworking.strings": "No idea"])
    let texts = LocalizedTexts(app: try app.bundle(), module: try module())
    #expect(texts.text(of: .unknown, preferring: ["en_US"]) == "No idea")
    #expect(texts.text(of: .unknown, preferring: ["zh_CN"]) == "未知")
  }

  @Test(arguments: [["zh_CN"], ["de"], []])
  func `an app's table outside the languages' folders counts always`(languages: [String]) throws {
    let app = try App(["AFNetworkReachability.strings": "?"])
    let texts = LocalizedTexts(app: try app.bundle(), module: try module())
    #expect(texts.text(of: .unknown, preferring: languages) == "?")
  }

  @Test(
    arguments: [
      ([:], []), (["LANG": "C"], []), (["LANG": "POSIX", "LANGUAGE": "zh_CN"], []),
      (["LANG": "C.UTF-8", "LANGUAGE": "zh_CN"], []), (["LANG": ""], []),
      (["LANG": "zh_CN.UTF-8"], ["zh_CN"]), (["LANG": "de_DE@euro"], ["de_DE"]),
      (["LANG": "de_DE", "LC_MESSAGES": "zh_CN"], ["zh_CN"]),
      (["LANG": "de_DE", "LC_MESSAGES": "zh_CN", "LC_ALL": "fr_FR"], ["fr_FR"]),
      (["LANG": "zh_CN", "LC_ALL": ""], ["zh_CN"]),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": "zh_CN:en"], ["zh_CN", "en"]),
      (["LANG": "de_DE.UTF-8", "LANGUAGE": ""], ["de_DE"]),
    ] as [([String: String], [String])])
  func `the environment selects the languages`(variables: [String: String], languages: [String]) {
    #expect(PreferredLanguages.inEnvironment(variables) == languages)
  }

  @Test func `a missing bundle is nil`() {
    let nowhere = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    #expect(ResourceBundle.bundle(of: "AFNetworkReachability", near: []) == nil)
    #expect(ResourceBundle.bundle(of: "AFNetworkReachability", in: [nil, nowhere]) == nil)
  }

  @Test func `a manager describes its status`() {
    let manager = AFNetworkReachabilityManager(forDomain: "")
    #expect(
      manager.localizedNetworkReachabilityStatusString() == AFStringFromNetworkReachabilityStatus(.unknown))
  }
}
