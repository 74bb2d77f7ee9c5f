// SPDX-License-Identifier: Apache-2.0
@testable import CommandLineSupport
@testable import ReachabilityCLI
@testable import ReachabilityHTTP
@testable import ReachabilityKit
@testable import ReachabilityVerifyCLI

extension Check {
  private static let secret = "S3cReT"

  /// User information, query and fragment of a URL, which no command prints, even for an invalid URL.
  static let secrets = [
    Check("Secrets") { bytes throws(Finding) in
      let parts = bytes.texts + ["", "", ""]
      // Text after a slash belongs to the path.
      let user = String(parts[0].unicodeScalars.filter { $0 != "/" })
      let scheme = parts[1].isEmpty ? "https:" : String(parts[1].unicodeScalars.filter { $0 != "/" })
      let rest = parts[2]
      let url =
        switch bytes.count % 3 {
        case 0: "\(scheme)//\(user)\(secret)@\(rest)"
        case 1: "\(scheme)//\(rest)?\(parts[0])\(secret)\(user)"
        default: "\(scheme)//\(user):\(secret)@\(rest)#\(secret)"
        }
      try expectNoSecret([url.redacted, ReachabilityTargetError(.malformedURL, text: url).description])
      for words in [
        [url], ["explain", url, "--probe", "1"], ["path", url], ["--from", url], ["--from=\(url)"],
        ["--interface", url, "10.1.0.1"], ["--namespace=\(url)"], ["--\(url)"], ["watch", "--settle", url],
        ["10.1.0.1", url, "--from", "fd00::1"], ["a..b", url],
      ] {
        try expectNoSecret(shown(by: words))
      }
      for words in [[url], ["http://a.test", "--portal-api", url], ["--every", url], ["--\(url)"]] {
        try expectNoSecret(shownVerifying(by: words))
      }
    }
  ]

  private static func shown(by words: [String]) -> [String] {
    do throws(UsageError) {
      let options = try CommandLineTool.options(of: words)
      return options.targets.flatMap { [$0.text, $0.target.description] }
        + [options.namespace?.description].compactMap(\.self)
    } catch {
      return error.problems + [error.hint]
    }
  }

  private static func shownVerifying(by words: [String]) -> [String] {
    do throws(UsageError) {
      return try VerifyInvocation(
        ParsedOptions(["reachability-verify"] + words, of: VerifyInvocation.description)
      ).verification.endpoints.map(\.description)
    } catch {
      return error.problems + [error.hint]
    }
  }

  private static func expectNoSecret(_ texts: [String]) throws(Finding) {
    for text in texts { try expect(!text.contains(secret), "a secret in \(text.debugDescription)") }
  }
}
