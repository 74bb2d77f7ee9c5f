// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Foundation
import ReachabilityHTTP
import Testing

@testable import ReachabilityVerifyCLI

@Suite(.deadline) struct `Arguments of reachability verify` {
  private func read(_ words: String...) throws(UsageError) -> VerifyInvocation {
    try VerifyInvocation(
      ParsedOptions(["reachability-verify"] + words, of: VerifyInvocation.description))
  }

  private func mistake(_ words: [String]) -> UsageError? {
    do {
      _ = try VerifyInvocation(
        ParsedOptions(["reachability-verify"] + words, of: VerifyInvocation.description))
      return nil
    } catch {
      return error
    }
  }

  @Test func `targets are URLs and TCP ports`() throws {
    let invocation = try read(
      "http://a.test/x", "HTTPS://b.test", "tcp://10.9.0.1:22", "tcp://[fd00::1]:1", "tcp://c.test:65535")
    #expect(
      invocation.verification.endpoints.map(\.description) == [
        "http://a.test/x", "HTTPS://b.test", "tcp://10.9.0.1:22", "tcp://[fd00::1]:1", "tcp://c.test:65535",
      ])
    #expect(invocation.command == .verify && !invocation.isJSON)
    #expect(invocation.verification.threshold == .all)
    #expect(invocation.verification.timeout == .seconds(10))
  }

  @Test func `options set expectations and output`() throws {
    let invocation = try read(
      "http://a.test/", "--share", "30%", "--timeout=2s", "--expect-status", "200-204", "--expect-body", "x",
      "--watch",
      "--every", "1m", "--count", "3", "--json", "--portal-api", "https://p.test/api")
    #expect(invocation.verification.threshold == .share(of: 0.3))
    #expect(invocation.verification.timeout == .seconds(2))
    #expect(invocation.verification.portalAPI == .url(URL.at("https://p.test/api")))
    #expect(invocation.command == .watch && invocation.isJSON)
    #expect(invocation.pause == .seconds(60) && invocation.count == 3)
    #expect(try read("--any", "http://a.test/").verification.threshold == .any)
    #expect(try read("http://a.test/", "--share", "7").verification.threshold == .share(of: 0.07))
    #expect(
      try read("http://a.test/", "--portal-api", "urn:ietf:params:capport:unrestricted").verification
        .portalAPI != nil)
    #expect(
      try read("http://a.test/", "--portal-api", "auto").verification.portalAPI == .announced)
  }

  @Test(arguments: [
    (["a.test"], "'a.test' has no scheme such as 'http://'"),
    (["ftp://a.test"], "'ftp://a.test' has a scheme that is not one of 'http', 'https' and 'tcp'"),
    (["tcp://a.test"], "'tcp://a.test' has no port from 1 to 65535"),
    (["tcp://a.test:0"], "'tcp://a.test:0' has no port from 1 to 65535"),
    (["tcp://a.test:65536"], "'tcp://a.test:65536' has no port from 1 to 65535"),
    (["tcp://a.test:+1"], "'tcp://a.test:…' has no port from 1 to 65535"),
    (["tcp://[fd00::1]"], "'tcp://[fd00::1]' has no port from 1 to 65535"),
    (["tcp://a.test:1/"], "'tcp://a.test:1/' has more than a host and a port"),
    (["tcp://:1"], "'tcp://:1' has no host"),
    (["http://"], "'http://' is not a URL with a host: the host is missing"),
    (["http://a..b/"], "'http://a..b/' is not a host name: it has an empty part between dots"),
    ([], "no target was given"),
    ([""], "'' has no scheme such as 'http://'"),
    (["http://user:word@a b/?x"], "'http://…@a b/…' is not a host name: ' ' is not allowed in a name"),
    (
      ["ftp://user:word@a.test"], "'ftp://…@a.test' has a scheme that is not one of 'http', 'https' and 'tcp'"
    ),
    (["tcp://user:word@a.test:1"], "'tcp://…@a.test:1' has more than a host and a port"),
    (["http://a.test", "--portal-api", "ftp://u:word@x/?y"], "invalid value 'ftp://…@x/…' for --portal-api"),
    (["http://a.test", "--any", "--share", "50%"], "--any and --share cannot be combined"),
    (["http://a.test", "--share", "0"], "invalid value '0' for --share"),
    (["http://a.test", "--share", "101%"], "invalid value '101%' for --share"),
    (["http://a.test", "--share", "+5%"], "invalid value '+5%' for --share"),
    (["http://a.test", "--share", "+5"], "invalid value '+5' for --share"),
    (["http://a.test", "--share", "5%%"], "invalid value '5%%' for --share"),
    (["http://a.test", "--watch", "--count", "+1"], "invalid value '+1' for --count"),
    (["http://a.test", "--watch", "--count", "0"], "invalid value '0' for --count"),
    (["tcp://a.test:٣"], "'tcp://a.test:…' has no port from 1 to 65535"),
    (["http://a.test", "--expect-status", "99"], "invalid value '99' for --expect-status"),
    (["http://a.test", "--expect-status", "300-200"], "invalid value '300-200' for --expect-status"),
    (["http://a.test", "--expect-status", "200-204-206"], "invalid value '200-204-206' for --expect-status"),
    (["http://a.test", "--expect-body="], "invalid value '' for --expect-body"),
    (["http://a.test", "--timeout", "0s"], "invalid value '0s' for --timeout"),
    (["http://a.test", "--portal-api", "ftp://x/"], "invalid value 'ftp://x/' for --portal-api"),
    (["http://a.test", "--every", "5s"], "'verify' accepts --every only with --watch"),
    (["http://a.test", "--count", "5"], "'verify' accepts --count only with --watch"),
    (["http://a.test", "--watch", "--every", "99ms"], "invalid value '99ms' for --every"),
    (["http://a.test", "--settle", "5s"], "unknown option --settle"),
  ])
  func `a mistake is named, with a hint`(_ words: [String], _ problem: String) throws {
    let error = try #require(mistake(words))
    #expect(error.problems == [problem])
    #expect(!error.hint.isEmpty)
  }
}
