// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import CommandSupport
import DeadlineSupport
import LiveSupport
import ReachabilityKit
import Testing

@testable import ReachabilityCLI
@testable import ReachabilityVerifyCLI

/// URLs contain passwords and tokens, which would reach logs through output.
@Suite(.deadline) struct `Secrets in URLs` {
  private static let secret = "S3cReT"

  /// Every text that the commands derive from a URL, in any position on the command line.
  private func shown(of url: String) -> [String] {
    var texts: [String] = []
    for words in [
      [url], ["explain", url, "--probe", "1"], ["path", url], ["--from", url], ["--from=\(url)"],
      ["--interface", url, "10.1.0.1"], ["--namespace=\(url)"], ["--\(url)"], ["watch", "--settle", url],
      ["10.1.0.1", url, "--from", "fd00::1"], ["fe80::1%a", url, "--interface", "b"],
    ] {
      do {
        let options = try CommandLineTool.options(of: words)
        texts += options.targets.map(\.text) + options.targets.map(\.target.description)
        texts += [options.namespace?.description].compactMap(\.self)
      } catch {
        texts += error.problems + [error.hint]
      }
    }
    for words in [[url], ["http://a.test", "--portal-api", url], ["--every", url], ["--\(url)"]] {
      do {
        let invocation = try VerifyInvocation(
          ParsedOptions(["reachability-verify"] + words, of: VerifyInvocation.description))
        texts += invocation.verification.endpoints.map(\.description)
      } catch {
        texts += error.problems + [error.hint]
      }
    }
    return texts
  }

  // Slow: each text goes through every parser, without optimisation.
  @Test func `no command shows a secret of any malformed URL`() {
    var generator = SeededGenerator(seed: 24)
    let pieces = [
      "user", ":", "@", "p w", "%40", "%3f", "%zz", "[", "]", "fe80::1", "%25v0", "10.1.0.1", "host", ".",
      "..",
      "443", " ", "\u{301}", "ü", "\u{1b}", "=", "-", "?", "#", "&", "a.test", "://", "\\",
    ]
    func text(_ limit: Int) -> String {
      (0..<generator.below(limit)).map { _ in generator.pick(pieces) }.joined()
    }
    let schemes = ["https:", "https:", "https", "tcp:", "http:", "udp:", "x:", "", "ht tp:", "1:", "json="]
    for _ in 0..<1500 {
      let scheme = generator.pick(schemes)
      // Text after a slash belongs to the path, which is not secret.
      let user = text(4).split(separator: "/").joined()
      let rest = text(5) + generator.maybe(50, "/x")
      let url =
        switch generator.below(4) {
        case 0: "\(scheme)//\(user)\(Self.secret)@\(rest)"
        case 1: "\(scheme)//\(rest)?\(text(4))\(Self.secret)\(text(3))"
        case 2: "\(scheme)//\(rest)#\(text(4))\(Self.secret)\(text(3))"
        default: "\(scheme)//\(user):\(Self.secret)@\(rest)?\(Self.secret)#\(Self.secret)"
        }
      let leak = shown(of: url).first { $0.contains(Self.secret) }
      #expect(leak == nil, "\(url.debugDescription)")
    }
  }

  @Test(.needsNamespaces) func `neither stream contains a secret`() throws {
    let network = try NetworkNamespace.wired()
    let url = "https://user:S3cReT@10.1.0.1:8443/x?S3cReT#S3cReT"
    for words in [
      ["check", url], ["--json", url], ["watch", url, "--count", "1"],
      ["watch", "--json", url, "--count", "1"],
      ["wait", url, "--until", "unreachable", "--timeout", "300ms"], ["wait", url, "--json"],
      ["explain", url],
      ["explain", "--json", url, "--probe", "9"], ["--from", url], ["--namespace", url], ["path", url],
      ["verify", url], ["check", "https://user:S3cReT@ho st/"], ["check", "https//user:S3cReT@host"],
    ] {
      let outcome = try RunningCommand(words, in: network).finish()
      #expect(
        !outcome.output.contains("S3cReT") && !outcome.errors.contains("S3cReT"), "\(words): \(outcome)")
      if ["check", "--json"].contains(words[0]), words[1] == url {
        #expect(outcome.output.contains("https://10.1.0.1:8443/x"), "\(outcome)")
        #expect(outcome.status == 0)
      }
    }
    let outcome = try RunningCommand(
      [url, "--timeout", "1s", "--json"], of: "reachability-verify", in: network
    ).finish()
    #expect(!outcome.output.contains("S3cReT") && !outcome.errors.contains("S3cReT"), "\(outcome)")
    #expect(outcome.output.contains("\"https://10.1.0.1:8443/x\""), "\(outcome)")
  }
}

extension CommandLineTool {
  /// Reads words for one of the commands of this program, as a run would.
  fileprivate static func options(of words: [String]) throws(UsageError) -> any CommandOptions {
    func read<C: Command>(_ command: C.Type, _ words: ArraySlice<String>) throws(UsageError)
      -> any CommandOptions
    {
      try C.Options(ParsedOptions(["reachability"] + words, of: C.description))
    }
    if let command = commands.first(where: { $0.summary.name == words.first }) {
      return try read(command, words.dropFirst())
    }
    return try read(CheckCommand.self, words[...])
  }
}
#endif
