// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

/// The pages for those who use the API: samples compile, and the review has each public type.
@Suite(.serialized, .onOwnThreads, .deadline) struct DocumentationTests {
  /// A file with one sample.
  struct Sample: Sendable, CustomTestStringConvertible {
    var path: String
    /// Stands before each of its lines.
    var prefix = ""
    var lines: [String]

    var text: String {
      (["# A page", "```swift"] + lines + ["```"]).map { prefix + $0 }.joined(separator: "\n") + "\n"
    }

    var testDescription: String { path }
  }

  private static let page = Sample(path: "README.md", lines: ["import InternetProtocol", ""])
  private static let comment = Sample(
    path: "Sources/InternetProtocol/Address.swift", prefix: "  /// ", lines: [])

  /// Compiles a sample in a package that has nothing else.
  private func compile(_ sample: Sample, with line: String) throws -> Script {
    try TemporaryFolder.with { package in
      for folder in ["scripts", "Sources/InternetProtocol/InternetProtocol.docc"] {
        try FileManager.default.createDirectory(
          at: package.appending(path: folder), withIntermediateDirectories: true)
      }
      try FileManager.default.copyItem(
        at: Script.package.appending(path: "scripts/build-docs"),
        to: package.appending(path: "scripts/build-docs"))
      try Data().write(
        to: package.appending(path: "Sources/InternetProtocol/InternetProtocol.docc/InternetProtocol.md"))
      try Data().write(to: package.appending(path: Self.page.path))
      var sample = sample
      sample.lines.append(line)
      try Data(sample.text.utf8).write(to: package.appending(path: sample.path))
      return try Script(
        "bash", ["scripts/build-docs", "--samples", "--modules", Script.modules], in: package)
    }
  }

  @Test(Requirement(.withoutPrograms("swiftc")), arguments: [page, comment])
  func `a sample compiles as a reader would use it, or its line is an error`(sample: Sample) throws {
    let right = try compile(sample, with: #"print(ReachabilityAddress("192.0.2.1").isLoopback)"#)
    #expect(right.errors == "1 samples compile\n")
    #expect(right.status == 0)
    let wrong = try compile(sample, with: #"print(ReachabilityAddress("192.0.2.1").isMissing)"#)
    let line = sample.lines.count + 3
    #expect(wrong.errors.contains("\(sample.path):\(line):"), "\(wrong.errors)")
    #expect(wrong.errors.hasSuffix("error: a sample does not compile\n"))
    #expect(wrong.status == 1)
  }

  @Test(arguments: [
    "ReachabilityKit", "ReachabilityHTTP", "ReachabilityModels", "ReachabilityRehearsal",
    "ReachabilityTesting",
  ])
  func `the review of the API has one row for each public type`(library: String) throws {
    func text(_ path: String) throws -> String {
      try String(contentsOf: Script.package.appending(path: path), encoding: .utf8)
    }
    let declaration = /(?m)^(?:([\w.]+): )?(?:@\w+ |final )*(?:struct|class|enum|actor|protocol) (\w+)$/
    let declared = try text("docs/api/\(library).txt").matches(of: declaration).map { match in
      match.1.map { "\($0).\(match.2)" } ?? String(match.2)
    }
    let section = try #require(
      try text("docs/API.md").components(separatedBy: "\n## ").first { $0.hasPrefix("\(library)\n") })
    let reviewed = section.matches(of: /(?m)^\| `([\w.]+)` \|/).map { String($0.1) }
    #expect(!declared.isEmpty)
    #expect(Set(declared).subtracting(reviewed) == [], "not reviewed")
    #expect(Set(reviewed).subtracting(declared) == [], "no public types")
    #expect(Set(reviewed).count == reviewed.count)
  }
}
#endif
