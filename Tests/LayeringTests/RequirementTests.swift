// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

/// How tests are skipped.
@Suite(.deadline) struct RequirementTests {
  @Test func `the last lines count the skipped tests by reason and name scripts/test`() {
    let ip = SkipReason(missing: "ip")
    let tunnels = SkipReason("the kernel makes no tunnels")
    let summary = SkippedTests.summary(of: [tunnels] + Array(repeating: ip, count: 12))
    #expect(
      summary == """
        13 tests were skipped:
          12  ip is not installed
           1  the kernel makes no tunnels
        To install what is missing (Debian, Ubuntu) and run all tests, type: scripts/test

        """)
  }

  @Test func `scripts/test is named only if it can help`() {
    let summary = SkippedTests.summary(of: [SkipReason("the kernel makes no tunnels")])
    #expect(summary == "1 test was skipped:\n  1  the kernel makes no tunnels\n")
  }

  @Test(.onOwnThreads) func `a process that skips tests ends with the summary`() async throws {
    let result = await #expect(processExitsWith: .exitCode(0), observing: [\.standardErrorContent]) {
      SkippedTests.shared.insert(SkipReason(missing: "ip"))
      exit(0)
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.hasPrefix("1 test was skipped:\n  1  ip is not installed\n"), "\(errors)")
  }

  @Test(.onOwnThreads) func `a missing package fails tests where packages are required`() async {
    await #expect(processExitsWith: .exitCode(0)) {
      let (ip, tunnels) = (SkipReason(missing: "ip"), SkipReason("the kernel makes no tunnels"))
      unsafe unsetenv("TEST_PACKAGES")
      try #expect(Requirement(ip).reason() == ip)
      _ = unsafe setenv("TEST_PACKAGES", "required", 1)
      #expect(throws: ip) { try Requirement(ip).reason() }
      try #expect(Requirement(tunnels).reason() == tunnels)
    }
  }

  @Test func `only requirements skip tests, so that each skipped test is counted`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "..").standardized
    let root = tests.path(percentEncoded: false)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: root)
      .filter { $0.hasSuffix(".swift") && !$0.hasPrefix("RequirementSupport/") }
    try #require(paths.count > 100)
    let offenders = try paths.filter { path in
      try String(contentsOfFile: "\(root)/\(path)", encoding: .utf8).contains(/\.(en|dis)abled[( {]/)
    }
    #expect(offenders == [])
  }
}
#endif
