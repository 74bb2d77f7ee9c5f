// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import RequirementSupport
import Testing

@Suite("The policy of the page", .deadline) struct PagePolicyTests {
  @Test(.needsPython) func `the policy names the hashes of the page's style and script`() throws {
    let check = try Script(
      "/usr/bin/python3", ["-B", "Tests/Page/test.py", "--is-signed"], in: Script.package)
    #expect(check.errors == "")
    #expect(check.status == 0, "run scripts/test-page --sign")
  }
}
#endif
