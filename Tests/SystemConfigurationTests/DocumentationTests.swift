// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import Testing

/// The tests named in the tables of the module's documentation.
@Suite("Documentation", .deadline)
struct DocumentationTests {
  @Test func `every test named in the documentation exists`() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let page = tests.appending(
      path: "../../Sources/SystemConfiguration/SystemConfiguration.docc/SystemConfiguration.md")
    let text = try String(contentsOf: page.standardized, encoding: .utf8)
    let sources = try FileManager.default.contentsOfDirectory(at: tests, includingPropertiesForKeys: nil)
      .filter { $0.pathExtension == "swift" }.map { try String(contentsOf: $0, encoding: .utf8) }.joined()

    var count = 0
    for line in text.split(separator: "\n") where line.hasPrefix("| ") && line.hasSuffix(" |") {
      // The last column's sentences in backticks.
      guard let column = line.dropLast(2).split(separator: " | ").last else { continue }
      for name in column.split(separator: "`").filter({
        $0.contains(" ") && $0 != ", " && column.contains("`\($0)`")
      })
      where name.first != "," {
        count += 1
        #expect(sources.contains("func `\(name)`"), "\(name)")
      }
    }
    #expect(count > 40)
  }
}
