// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import ClassicSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct DocumentationTests {
  @Test func `every test named in the documentation exists`() throws {
    let missing = try missingTests(of: "AFNetworkReachability", besides: #filePath)
    #expect(missing.names == [])
    #expect(missing.count > 15)
  }
}
#endif
