// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import Testing

@testable import TMReachability

@Suite(.deadline) struct LocalizationTests {
  private static let keys = ["Cellular", "WiFi", "No Connection"]

  @Test(arguments: [["en"], ["en_US"], [], ["fr", "en"], ["fr"], ["zh_TW"], ["zh-Hant"], ["en", "zh-Hans"]])
  func `languages other than Simplified Chinese get English`(languages: [String]) {
    for key in Self.keys { #expect(Localization.ofProgram.text(key, preferring: languages) == key) }
  }

  @Test(arguments: [["zh-Hans"], ["zh_CN"], ["zh"], ["zh-Hans-SG"], ["fr", "zh_CN", "en"]])
  func `Simplified Chinese has its own texts`(languages: [String]) {
    let texts = Self.keys.map { Localization.ofProgram.text($0, preferring: languages) }
    #expect(texts == ["蜂窝网络", "无线局域网", "无网络连接"])
  }

  @Test func `a program without its resources has English texts`() {
    let texts = Localization(app: .main, module: nil)
    #expect(texts.text("No Connection", preferring: ["zh-Hans"]) == "No Connection")
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
        try Data("\"WiFi\" = \"\(text)\";".utf8).write(to: file)
      }
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func bundle() throws -> Bundle { try #require(Bundle(url: folder)) }
  }

  @Test(
    arguments: [
      ("de_DE", "WLAN"), ("zh_CN", "无线局域网"), ("en", "WiFi"), ("fr", "WiFi"),
      ("pt_BR", "Wi-Fi (BR)"), ("pt_PT", "Wi-Fi (PT)"),
    ])
  func `an app's text counts in its language`(language: String, text: String) throws {
    let app = try App([
      "de.lproj/Localizable.strings": "WLAN", "pt-BR.lproj/Localizable.strings": "Wi-Fi (BR)",
      "pt-PT.lproj/Localizable.strings": "Wi-Fi (PT)",
    ])
    let texts = Localization(app: try app.bundle(), module: Localization.resources)
    #expect(texts.text("WiFi", preferring: [language]) == text)
  }

  @Test func `an unknown text is returned unchanged`() {
    #expect(Localization.ofProgram.text("Carrier pigeon", preferring: ["zh-Hans"]) == "Carrier pigeon")
  }

  @Test(arguments: [("RW", "Cellular"), ("R", "WiFi"), ("", "No Connection"), ("Rct", "No Connection")])
  func `the status has a text`(flags: String, text: String) {
    let reachability = SimulatedNetwork(ReachabilityStatus(flags)).withSystemConfiguration {
      Reachability.forInternetConnection()
    }
    #expect(reachability?.currentReachabilityString() == localized(text))
  }
}
