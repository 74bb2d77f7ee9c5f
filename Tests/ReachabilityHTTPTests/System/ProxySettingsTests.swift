// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import ReachabilityKit
import Testing

@testable import ReachabilityHTTP

/// The targets of requests in various environments, as libcurl reads these.
@Suite(.deadline) struct ProxySettingsTests {
  @Test(
    arguments: [
      ([:], "http://a.test/", "tcp://a.test:80"),
      ([:], "https://a.test/", "tcp://a.test:443"), ([:], "http://a.test:8080/", "tcp://a.test:8080"),
      (["http_proxy": "10.1.0.2:8080"], "http://a.test/", "tcp://10.1.0.2:8080"),
      (["http_proxy": "http://user:word@proxy.test:8080/"], "http://a.test/", "tcp://proxy.test:8080"),
      (["http_proxy": "socks5h://[fd00::1]:1080"], "http://a.test/", "tcp://[fd00::1]:1080"),
      (["http_proxy": "proxy.test"], "https://a.test/", "tcp://a.test:443"),
      (["http_proxy": "https://proxy.test"], "http://a.test/", "tcp://proxy.test:443"),
      (["HTTP_PROXY": "proxy.test"], "http://a.test/", "tcp://a.test:80"),
      (["HTTPS_PROXY": "proxy.test"], "https://a.test/", "tcp://proxy.test:1080"),
      (
        ["HTTPS_PROXY": "upper.test", "https_proxy": "lower.test"], "HTTPS://a.test/", "tcp://lower.test:1080"
      ),
      (["ALL_PROXY": "proxy.test"], "http://a.test/", "tcp://proxy.test:1080"),
      (["all_proxy": "all.test", "http_proxy": ""], "http://a.test/", "tcp://all.test:1080"),
      (["http_proxy": "proxy.test", "no_proxy": "*"], "http://a.test/", "tcp://a.test:80"),
      (["http_proxy": "proxy.test", "no_proxy": "b.test, A.test"], "http://a.test/", "tcp://a.test:80"),
      (["http_proxy": "proxy.test", "no_proxy": "b.test\tA.test"], "http://a.test/", "tcp://a.test:80"),
      (["http_proxy": "proxy.test", "NO_PROXY": ".test"], "http://a.test/", "tcp://a.test:80"),
      (["http_proxy": "proxy.test", "no_proxy": ".A.test."], "http://a.test/", "tcp://a.test:80"),
      (["http_proxy": "proxy.test", "no_proxy": "test"], "http://atest/", "tcp://proxy.test:1080"),
      (["http_proxy": "proxy.test", "no_proxy": "10.0.0.0/8"], "http://10.9.0.1/", "tcp://10.9.0.1:80"),
      (["http_proxy": "proxy.test", "no_proxy": "10.0.0.0/8"], "http://11.9.0.1/", "tcp://proxy.test:1080"),
      (["http_proxy": "proxy.test", "no_proxy": "10.9.0.2"], "http://10.9.0.1/", "tcp://proxy.test:1080"),
      (
        ["http_proxy": "proxy.test", "no_proxy": "10.9.0.1,nonsense/x"], "http://10.9.0.1/",
        "tcp://10.9.0.1:80"
      ),
    ] as [([String: String], String, String)])
  func `the environment decides whether a request goes to its host or a proxy`(
    _ environment: [String: String], _ url: String, _ target: String
  ) throws {
    let target = try ReachabilityTarget(target)
    // As libcurl reads the list, and as this module does where libcurl's functions cannot be called.
    for settings in [
      ProxySettings(environment: environment), ProxySettings(environment: environment) { _, _ in nil },
    ] {
      #expect(settings.target(of: try #require(URL(string: url))) == target)
    }
  }

  @Test(
    arguments: [
      ([:], "http://a.test/", true), ([:], "http://10.9.0.1/", false), ([:], "http://[fd00::1]/", false),
      (["http_proxy": "10.1.0.2:8080"], "http://a.test/", false),
      (["http_proxy": "proxy.test"], "http://10.9.0.1/", true),
      (["http_proxy": "socks5://10.1.0.2"], "http://a.test/", true),
      (["http_proxy": "socks5://10.1.0.2"], "http://10.9.0.1/", false),
      (["http_proxy": "SOCKS4://10.1.0.2"], "http://a.test/", true),
      (["http_proxy": "socks5h://10.1.0.2"], "http://a.test/", false),
    ] as [([String: String], String, Bool)])
  func `a request looks up the names that its proxy does not`(
    _ environment: [String: String], _ url: String, _ looksUpName: Bool
  ) throws {
    let settings = ProxySettings(environment: environment)
    #expect(settings.looksUpName(for: try #require(URL(string: url))) == looksUpName)
  }

  @Test(
    arguments: [
      (
        "http://user:pa/ss@proxy.test:3128",
        "Unsupported proxy syntax in 'http://user:pa/ss@proxy.test:3128'", true
      ),
      ("x://user:pass@proxy.test", "Unsupported proxy scheme for 'x://user:pass@proxy.test'", true),
      ("http://user:12/ss@proxy.test", "Could not resolve proxy: user", true),
      ("http://pass/@proxy.test", "Couldn't resolve proxy 'pass'", true),
      ("http://user:pass@Proxy.test:3128", "Could not resolve proxy: proxy.test", false),
      ("proxy.test", "Could not resolve proxy: proxy.test", false),
      ("http://user:pass@proxy.test", "Could not resolve host: a.test", false),
    ])
  func `what libcurl says of a proxy is repeated without credentials`(
    _ proxy: String, _ text: String, _ isHidden: Bool
  ) throws {
    let settings = ProxySettings(environment: ["http_proxy": proxy])
    let shown = settings.withoutCredentials(text, for: try #require(URL(string: "http://a.test/")))
    #expect((shown != text) == isHidden)
    #expect(!shown.contains("pa") && !shown.contains("user"))
  }

  @Test(arguments: ["http://user:12/ss@proxy.test", "user:12?ss@proxy.test", "user:12#ss@proxy.test:80"])
  func `a proxy whose password needs an escape has no target`(_ proxy: String) throws {
    let settings = ProxySettings(environment: ["http_proxy": proxy])
    #expect(settings.target(of: try #require(URL(string: "http://a.test/"))) == nil)
  }

  @Test(arguments: ["file:///etc/hosts", "data:,hello", "mailto:a@a.test", "http:///nowhere"])
  func `a URL that is no web URL with a host has no target`(_ url: String) throws {
    #expect(ProxySettings(environment: [:]).target(of: try #require(URL(string: url))) == nil)
  }
}
