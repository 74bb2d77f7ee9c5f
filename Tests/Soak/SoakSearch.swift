// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import SearchSupport

/// Soaks, as the command line says.
@main struct SoakSearch: Search {
  var duration = Duration.seconds(600)
  var seed = UInt64.random(in: 1...999_999)

  static let description = CommandDescription(
    of: "scripts/search soak",
    """
    Changes a separate network several hundred times a second, observes 1,000 targets in it, and compares the delivered \
    statuses with the present ones whenever the network is quiet.
    """,
    success: "no fault", failure: "a wrong status, a late event or growth beyond the bounds",
    examples: ["--seconds 20 --seed 7": "A short run with the changes of this seed."])

  static var options: [SearchOption<SoakSearch>] {
    [
      .number("minutes", "the duration", default: "10", from: 1) { $0.duration = .seconds($1 as Int * 60) },
      .number("seconds", "the duration", from: 1) { $0.duration = .seconds($1 as Int) },
      .number("seed", "the changes; otherwise random ones", from: 1) { $0.seed = $1 },
    ]
  }

  func run() throws -> Bool { try Soak(self).run() }
}
