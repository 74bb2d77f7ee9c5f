import ClassicSupport
import DeadlineSupport
import Testing

@Suite(.deadline) struct DocumentationTests {
  @Test func `every test that the documentation names is there`() throws {
    let missing = try missingTests(of: "AppleReachability", besides: #filePath)
    #expect(missing.names == [])
    #expect(missing.count > 6)
  }
}
