// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Testing

/// The tests named in the tables of the module's documentation.
@Suite("Documentation", .deadline)
struct DocumentationTests {
  @Test func `every test named in the documentation exists`() throws {
    let missing = try missingTests(of: "NetworkPathMonitor", besides: #filePath)
    #expect(missing.names == [])
    #expect(missing.count > 30)
  }
}
