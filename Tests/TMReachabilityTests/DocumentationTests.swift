// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct DocumentationTests {
  @Test func `every test named in the documentation exists`() throws {
    let missing = try missingTests(of: "TMReachability", besides: #filePath)
    #expect(missing.names == [])
    #expect(missing.count > 6)
  }
}
