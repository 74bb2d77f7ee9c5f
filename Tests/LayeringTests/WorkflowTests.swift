// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import Testing

/// What the workflows may do, and what they run.
@Suite(.deadline) struct WorkflowTests {
  private static let folder = Script.package.appending(path: ".github/workflows")

  @Test(arguments: ["ci", "nightly"])
  func `each action is named by its commit, and no job keeps credentials`(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: "\(name).yml"), encoding: .utf8)
    let actions = text.matches(of: /uses: (\S+)/).map(\.output.1)
    let commits = text.matches(of: /uses: \S+@[0-9a-f]{40} # v\d+\.\d+\.\d+\n/)
    #expect(!actions.isEmpty && commits.count == actions.count, "\(actions)")
    let checkouts = actions.count { $0.hasPrefix("actions/checkout@") }
    let settings = text.matches(of: /uses: actions\/checkout@.*\n +with:\n +persist-credentials: false\n/)
    #expect(settings.count == checkouts)
    #expect(text.contains("\npermissions:\n  contents: read\n"))
  }

  @Test func `a pull request has the rights of its machine for the tests alone`() throws {
    let text = try String(contentsOf: Self.folder.appending(path: "ci.yml"), encoding: .utf8)
    let options = text.matches(of: /options: (.*)\n/).map { String($0.output.1) }
    #expect(
      options == [
        "${{ (github.event_name == 'push' || matrix.parts == 'test') && '--privileged' || '' }}"
      ])
  }
}
#endif
