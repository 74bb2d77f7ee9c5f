// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Foundation
import Testing

/// The page with the features of other libraries: its rows name tests and declarations that exist.
@Suite("Features", .serialized, .onOwnThreads, .deadline)
struct FeatureTests {
  /// A row: a feature, its place in this package, and its tests.
  private struct Row {
    var here: String
    var tests: String

    var isProvided: Bool { !here.hasPrefix("Not provided") }
  }

  private static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized

  private let rows: [Row]

  init() throws {
    let page = "Sources/ReachabilityKit/ReachabilityKit.docc/FeaturesOfOtherLibraries.md"
    let text = try String(contentsOf: Self.package.appending(path: page), encoding: .utf8)
    rows = try text.split(separator: "\n").filter { $0.hasPrefix("| ") && !$0.hasPrefix("| theirs |") }.map {
      let cells = $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3, "\($0)")
      return Row(here: cells[1], tests: cells[2])
    }
    try #require(rows.count > 100)
  }

  /// The lines of all Swift files of a folder.
  private static func lines(in folder: String) throws -> [Substring] {
    let root = package.appending(path: folder).path(percentEncoded: false)
    return try FileManager.default.subpathsOfDirectory(atPath: root).filter { $0.hasSuffix(".swift") }
      .flatMap { try String(contentsOfFile: "\(root)/\($0)", encoding: .utf8).split(separator: "\n") }
  }

  /// The parts of a text that are between backticks, one or two.
  private func code(in text: String) -> [String] {
    text.replacing("``", with: "`").components(separatedBy: "`").enumerated()
      .compactMap { $0.offset.isMultiple(of: 2) ? nil : $0.element }
  }

  @Test func `every feature has existing tests or is not provided`() throws {
    let tests = Set(
      try Self.lines(in: "Tests").compactMap { line in
        line.split(separator: "func `").dropFirst().first?.split(separator: "`").first.map(String.init)
      })
    for row in rows {
      #expect(code(in: row.tests).filter { !tests.contains($0) } == [])
      #expect(code(in: row.tests).isEmpty != row.isProvided, "\(row.here)")
    }
  }

  @Test func `every declaration that a feature names exists`() throws {
    let keywords: Set<Substring> = [
      "actor", "case", "class", "enum", "extension", "func", "let", "protocol", "struct", "typealias", "var",
    ]
    var names: Set<Substring> = ["init"]
    for line in try Self.lines(in: "Sources") {
      let words = line.split(separator: " ")
      guard let first = words.first, ["public", "case", "extension", "open"].contains(first) else { continue }
      for (keyword, name) in zip(words, words.dropFirst()) where keywords.contains(keyword) {
        names.insert(name.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
      }
    }
    let modules = try FileManager.default.contentsOfDirectory(
      atPath: Self.package.appending(path: "Sources").path(percentEncoded: false))
    names.formUnion(modules.map { Substring($0) })
    for row in rows {
      let named = code(in: row.here).flatMap { $0.prefix { $0 != "(" }.split(separator: ".") }
      #expect(named.filter { !names.contains($0) } == [], "\(row.here)")
    }
  }
}
