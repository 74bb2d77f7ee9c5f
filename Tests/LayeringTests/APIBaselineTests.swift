// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

@Suite(.serialized, .onOwnThreads, .deadline) struct APIBaselineTests {
  private static let library = "ReachabilityTesting"

  /// Compares the API with a record that was changed.
  private func check(_ change: (inout [Substring]) -> Void) throws -> Script {
    try TemporaryFolder.with { record in
      let modules = try Script.modules
      let options = ["--modules", modules, "--record", record.path(), Self.library]
      let recorded = try Script("scripts/api-baseline", options, in: Script.package)
      try #require(recorded.status == 0, "\(recorded.errors)")
      let file = record.appending(path: "\(Self.library).txt")
      var lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
      change(&lines)
      try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: file)
      return try Script("scripts/api-baseline", ["--check"] + options, in: Script.package)
    }
  }

  private static let requirements = Requirement(.withoutPrograms("python3", "swift"))

  @Test(requirements) func `an API that is recorded passes`() throws {
    let script = try check { _ in }
    #expect(script.errors == "")
    #expect(script.status == 0)
  }

  @Test(requirements) func `a declaration that is gone is an error`() throws {
    let script = try check { $0.append("SimulatedNetwork: func gone()") }
    #expect(script.errors.hasPrefix("error: ReachabilityTesting: the public API has changed"))
    #expect(script.errors.contains("\n  - SimulatedNetwork: func gone()\nhint: if the change is deliberate"))
    #expect(script.status == 1)
  }

  @Test(requirements) func `a declaration that is not recorded is an error`() throws {
    let script = try check { lines in
      lines.removeAll { $0 == "SimulatedNetwork: Swift.Sendable" }
    }
    #expect(script.errors.hasPrefix("error: ReachabilityTesting: the public API has declarations that"))
    #expect(script.errors.contains("\n  + SimulatedNetwork: Swift.Sendable\n"))
    #expect(script.status == 1)
  }

  @Test(requirements) func `the record of another version of Swift is not compared`() throws {
    let script = try check { $0[0] = "# The public API of ReachabilityTesting, as Swift 1.0 prints it." }
    #expect(script.errors.hasPrefix("ReachabilityTesting: not compared, since this is Swift "))
    #expect(script.status == 0)
  }

  @Test func `the list for documentation and API has every library of the package`() throws {
    func names(_ path: String, _ pattern: Regex<(Substring, Substring)>) throws -> Set<Substring> {
      let text = try String(contentsOf: Script.package.appending(path: path), encoding: .utf8)
      return Set(text.matches(of: pattern).map(\.1))
    }
    let listed = try names(".spi.yml", /\n +- ([A-Za-z]+)(?=\n)/)
    #expect(try listed == names("Package.swift", /\.library\(name: "([A-Za-z]+)"/))
    #expect(listed.count > 5)
  }
}
#endif
