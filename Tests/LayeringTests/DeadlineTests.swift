// SPDX-License-Identifier: Apache-2.0
#if os(Linux) || os(macOS)
import DeadlineSupport
import Foundation
import Testing

@Suite(.deadline) struct DeadlineTests {
  private static func block() { Thread.sleep(forTimeInterval: 3600) }

  @Test(.onOwnThreads) func `a test that never ends fails at its deadline under its name`() async throws {
    let result = await #expect(processExitsWith: .exitCode(1), observing: [\.standardErrorContent]) {
      _ = unsafe setenv("TEST_DEADLINE", "1", 1)
      try await Deadline.watch("the quick one") {}
      try await Deadline.watch("the stuck one") { Self.block() }
    }
    let errors = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(errors.contains("✘ Test the stuck one did not end.\n"))
    #expect(!errors.contains("the quick one"))
    #expect(errors.hasSuffix("error: no test began or ended for 1 seconds\n"))
  }
}
#endif
