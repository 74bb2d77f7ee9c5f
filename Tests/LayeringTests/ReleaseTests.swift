// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

/// What `scripts/release` refuses, in a repository that has only the files that it reads.
@Suite(.serialized, .onOwnThreads, .deadline, Requirement(.withoutPrograms("git")))
struct ReleaseTests {
  private static let version = "Sources/CommandLineSupport/PackageVersion.swift"

  /// A change of a repository that is ready, and what the script says about it.
  struct Refusal: Sendable, CustomTestStringConvertible {
    var change: String
    var error: String
    var arguments: [String] = []

    var testDescription: String { error }
  }

  /// Runs the script in a repository that is ready but for a change.
  private func release(_ arguments: [String] = [], after change: String = "") throws -> Script {
    try TemporaryFolder.with { repository in
      for path in ["scripts", "Sources/CommandLineSupport", "Benchmarks"] {
        try FileManager.default.createDirectory(
          at: repository.appending(path: path), withIntermediateDirectories: true)
      }
      try FileManager.default.copyItem(
        at: Script.package.appending(path: "scripts/release"),
        to: repository.appending(path: "scripts/release"))
      for (path, text) in [
        (Self.version, "package let packageVersion = \"2.3.4\"\n"),
        ("CHANGELOG.md", "# Changelog\n\n## 2.3.4 (2026-01-31)\n\n## 2.3.3 (2025-11-02)\n"),
        ("Benchmarks/README.md", "# Benchmarks\n\nMeasured in December 2025 on a machine.\n"),
      ] {
        try Data(text.utf8).write(to: repository.appending(path: path))
      }
      let preparation = """
        set -e
        git init --quiet --initial-branch main
        commit() { git add --all; git -c user.name=a -c user.email=a@b.test commit --quiet --message a; }
        commit
        \(change)
        """
      let prepared = try Script("bash", ["-c", preparation], in: repository)
      try #require(prepared.status == 0, "\(prepared.errors)")
      // The shell reads the file. To run it is impossible while another thread's child still has it open for writing.
      return try Script("bash", ["scripts/release", "--skip-builds"] + arguments, in: repository)
    }
  }

  @Test(arguments: [[], ["2.3.4"]]) func `a repository that is ready has the tag's commands printed`(
    arguments: [String]
  ) throws {
    let script = try release(arguments)
    #expect(script.errors == "")
    #expect(script.output.contains("\n    git tag --annotate 2.3.4 --message 'reachability-kit 2.3.4'\n"))
    #expect(script.status == 0)
  }

  @Test(arguments: [
    Refusal(change: "touch new", error: "the tree has changes that are not committed"),
    Refusal(change: "git switch --quiet --create other", error: "the branch is other, not main"),
    Refusal(change: "git tag 2.3.4", error: "the tag 2.3.4 exists"),
    Refusal(
      change: "", error: "Sources/CommandLineSupport/PackageVersion.swift says 2.3.4, not 2.3.5",
      arguments: ["2.3.5"]),
    Refusal(
      change: "sed -i 's/2.3.4 (.*/2.3.4 (unreleased)/' CHANGELOG.md; commit",
      error: "the top entry of CHANGELOG.md is '2.3.4 (unreleased)', not 2.3.4 with a date"),
    Refusal(
      change: "sed -i 's/2026-01-31/2026-02-31/' CHANGELOG.md; commit",
      error: "the top entry of CHANGELOG.md is '2.3.4 (2026-02-31)', not 2.3.4 with a date"),
    Refusal(
      change: "sed -i 's/^## 2.3.4/## 2.4.0/' CHANGELOG.md; commit",
      error: "the top entry of CHANGELOG.md is '2.4.0 (2026-01-31)', not 2.3.4 with a date"),
    Refusal(
      change: "sed -i 's/December/November/' Benchmarks/README.md; commit",
      error: "the benchmarks of November 2025 are older than the month before the release"),
    Refusal(
      change: "sed -i '/Measured/d' Benchmarks/README.md; commit",
      error: "Benchmarks/README.md does not say when it was measured"),
  ])
  func `a repository that is not ready is refused with the reason`(refusal: Refusal) throws {
    let script = try release(refusal.arguments, after: refusal.change)
    #expect(script.errors.hasPrefix("error: \(refusal.error)\n"))
    #expect(script.status == 1)
    #expect(script.output == "")
  }

  @Test func `everything that is missing is listed`() throws {
    let script = try release(after: "touch new; git tag 2.3.4")
    #expect(script.errors.hasSuffix("2.3.4 is not ready: 2 missing\n"))
  }

  @Test(arguments: [["--frob"], ["1.2"], ["v1.2.3"], ["01.2.3"], ["1.2.3", "1.2.4"]])
  func `a wrong command line is an error of its own`(arguments: [String]) throws {
    let script = try release(arguments)
    #expect(script.errors.hasPrefix("error: "))
    #expect(script.status == 2)
  }
}
#endif
