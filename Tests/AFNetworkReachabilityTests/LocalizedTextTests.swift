import DeadlineSupport
import Foundation
import Testing

@testable import AFNetworkReachability

@Suite(.deadline) struct LocalizedTextTests {
  private let statuses: [AFNetworkReachabilityStatus] = [
    .unknown, .notReachable, .reachableViaWWAN, .reachableViaWiFi,
  ]
  private let english = ["Unknown", "Not Reachable", "Reachable via WWAN", "Reachable via WiFi"]

  private func installed() throws -> Bundle {
    try #require(ResourceBundle.bundle(in: ResourceBundle.places(for: Bundle.allBundles + [.main])))
  }

  private func texts(_ bundles: Bundle...) -> [String] {
    statuses.map { LocalizedTexts.text(of: $0, in: bundles) }
  }

  @Test func `the bundle has English texts`() throws {
    let bundle = try #require(ResourceBundle.texts(in: try installed(), language: "en"))
    #expect(texts(bundle) == english)
    // The text is from the table, not the text without a table.
    #expect(
      bundle.localizedString(forKey: "Unknown", value: "missing", table: "AFNetworkReachability") == "Unknown"
    )
  }

  @Test func `the bundle has Simplified Chinese texts`() throws {
    let bundle = try #require(ResourceBundle.texts(in: try installed(), language: "zh-Hans"))
    #expect(texts(bundle) == ["未知", "无法连接", "可通过蜂窝网络连接", "可通过 Wi-Fi 连接"])
  }

  @Test func `without a bundle the texts are English`() {
    #expect(texts() == english)
  }

  @Test func `a bundle without the table changes nothing`() throws {
    let chinese = try #require(ResourceBundle.texts(in: try installed(), language: "zh-Hans"))
    #expect(texts(.main) == english)
    #expect(texts(.main, chinese) == texts(chinese))
  }

  @Test func `the first bundle that has a text wins`() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(#""Unknown" = "Keine Ahnung";"#.utf8).write(
      to: folder.appending(path: "AFNetworkReachability.strings"))
    let own = try #require(Bundle(url: folder))
    let chinese = try #require(ResourceBundle.texts(in: try installed(), language: "zh-Hans"))
    #expect(texts(own, chinese) == ["Keine Ahnung"] + texts(chinese).dropFirst())
  }

  @Test func `a missing bundle or language is nil`() throws {
    let nowhere = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    #expect(ResourceBundle.bundle(in: []) == nil)
    #expect(ResourceBundle.bundle(in: [nowhere]) == nil)
    #expect(ResourceBundle.texts(in: try installed(), language: "tlh") == nil)
  }

  @Test(
    arguments: [
      ([:], "en"), (["LANG": "C.UTF-8"], "en"), (["LANG": "zh_CN.UTF-8"], "zh-Hans"),
      (["LANG": "zh_SG"], "zh-Hans"), (["LANG": "zh_TW.UTF-8"], "en"),
      (["LANG": "zh_CN.UTF-8", "LC_MESSAGES": "de_AT.UTF-8"], "en"),
      (["LANG": "de_AT.UTF-8", "LC_MESSAGES": "zh_CN.UTF-8", "LC_ALL": ""], "zh-Hans"),
      (["LANG": "zh_CN", "LC_MESSAGES": "zh_CN", "LC_ALL": "C"], "en"),
    ] as [([String: String], String)])
  func `the environment selects the language`(environment: [String: String], language: String) {
    #expect(ResourceBundle.language(in: environment) == language)
  }

  @Test func `a manager describes its status`() {
    let manager = AFNetworkReachabilityManager(forDomain: "")
    #expect(
      manager.localizedNetworkReachabilityStatusString() == AFStringFromNetworkReachabilityStatus(.unknown))
  }
}
