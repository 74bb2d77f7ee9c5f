// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import RequirementSupport
import Testing

/// The runners of what takes long: the list of `scripts/nightly`, its workflow, and the pages that name commands.
@Suite(.deadline) struct RunnerTests {
  /// The parts of `scripts/nightly`, by their names.
  private static let parts = Result {
    try Script("scripts/nightly", ["--list"], in: Script.package).output.split(separator: "\n")
      .map { String($0.prefix { $0 != ":" }) }
  }

  @Test func `the nightly workflow runs the parts that the script lists`() throws {
    let workflow = try String(
      contentsOf: Script.package.appending(path: ".github/workflows/nightly.yml"), encoding: .utf8)
    let names = try Script("scripts/nightly", ["--json"], in: Script.package).output
    #expect(try JSONDecoder().decode([String].self, from: Data(names.utf8)) == Self.parts.get())
    #expect(workflow.contains(#"run: echo "parts=$(scripts/nightly --json)" >>"$GITHUB_OUTPUT""#))
    #expect(workflow.contains("part: ${{ fromJSON(needs.parts.outputs.parts) }}\n"))
    #expect(workflow.contains("run: scripts/nightly ${{ matrix.part }}\n"))
  }

  @Test func `each nightly part is in the table of TESTING, and each of its rows is a part`() throws {
    let page = try String(contentsOf: Script.package.appending(path: "TESTING.md"), encoding: .utf8)
    let table = try #require(page.firstMatch(of: #/\n\| purpose .*\n(?:\|.*\n)+/#)).output
    // The last column, for example: `.ci/run` for 30 seconds; nightly `walk`
    let cells = table.split(separator: "\n").compactMap { $0.dropLast().split(separator: " | ").last }
      .filter { $0.contains("nightly") }
    let rows = cells.map { cell in
      cell.matches(of: #/nightly ((?:`[a-z-]+`(?:, )?)+)/#).flatMap { $0.1.matches(of: #/[a-z-]+/#) }.map {
        String($0.0)
      }
    }
    #expect(zip(cells, rows).filter { $1.isEmpty }.map(\.0) == [], "rows without a part")
    #expect(Set(rows.flatMap(\.self)).symmetricDifference(try Self.parts.get()) == [], "in one of both only")
  }

  /// The names of the runners.
  private static let runners =
    (try? FileManager.default.contentsOfDirectory(atPath: Script.package.appending(path: "scripts").path))?
    .filter {
      FileManager.default.isExecutableFile(atPath: Script.package.appending(path: "scripts/\($0)").path)
    }.sorted() ?? []

  @Test(.needsPython, arguments: runners) func `each runner explains itself`(name: String) throws {
    let help = try Script("scripts/\(name)", ["--help"], in: Script.package)
    #expect(help.output.contains("scripts/\(name)") || help.output.hasPrefix("usage: \(name) "))
    #expect(help.errors == "" && help.status == 0)
  }

  /// All but two, which pass their options on.
  @Test(.needsPython, arguments: runners.filter { $0 != "test" && $0 != "generate-usage" })
  func `each runner refuses an unknown option`(name: String) throws {
    let run = try Script("scripts/\(name)", ["--frob"], in: Script.package)
    #expect(run.errors.contains("error: ") && run.errors.contains("--frob"))
    #expect(run.output == "" && run.status == 2)
  }

  /// The pages, workflows and runners that name commands.
  private static let pages =
    [".ci/run", "scripts/nightly", ".github/workflows/ci.yml", ".github/workflows/nightly.yml"]
    + ["", "Benchmarks", "Sources", "Tests", "docs"].flatMap { folder in
      let place = Script.package.appending(path: folder).path
      let paths =
        folder.isEmpty
        ? try? FileManager.default.contentsOfDirectory(atPath: place)
        : try? FileManager.default.subpathsOfDirectory(atPath: place).map { "\(folder)/\($0)" }
      // The changelog is about the past.
      return (paths ?? []).filter { $0.hasSuffix(".md") && $0 != "CHANGELOG.md" }.sorted()
    }

  @Test(arguments: pages) func `each script that a page names exists`(page: String) throws {
    let text = try String(contentsOf: Script.package.appending(path: page), encoding: .utf8)
    let named = text.matches(
      of: #/(?:^|[\s`"'(\[])((?:scripts|Benchmarks|Examples|docs/pictures|Tests)\/[\w\/+-]+(?:\.\w+)*)/#)
    let missing = Set(named.map { String($0.1) }).filter { path in
      !FileManager.default.fileExists(atPath: Script.package.appending(path: path).path)
    }
    #expect(missing == [])
  }
}
#endif
