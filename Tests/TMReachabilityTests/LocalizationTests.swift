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
    let folders = [nil, URL(filePath: "/nowhere")]
    #expect(Localization(in: folders).text("No Connection", preferring: ["zh-Hans"]) == "No Connection")
    #expect(Localization(in: []).text("Cellular", preferring: ["zh-Hans"]) == "Cellular")
  }

  @Test func `an unknown text is returned unchanged`() {
    #expect(Localization.ofProgram.text("Carrier pigeon", preferring: ["zh-Hans"]) == "Carrier pigeon")
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

  @Test(arguments: [("RW", "Cellular"), ("R", "WiFi"), ("", "No Connection"), ("Rct", "No Connection")])
  func `the status has a text`(flags: String, text: String) {
    let reachability = simulating(SimulatedNetwork(ReachabilityStatus(flags))) {
      Reachability.forInternetConnection()
    }
    #expect(reachability?.currentReachabilityString() == localized(text))
  }
}
