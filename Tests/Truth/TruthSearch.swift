// SPDX-License-Identifier: Apache-2.0
// The league table: programs that say whether the network is usable, compared with packets.
//
// Each trial is one competitor in one scenario: a network namespace (the machine), whose cables end in another one (the
// world). All the time a sender connects new sockets to addresses that only default routes lead to, and sends a numbered
// packet from each, as users' programs do. The network is usable if these packets arrive in the world (`Truth`). The
// competitor is asked before and after a change, and its reports are timed (`Trial`).
//
// A rehearsal predicts what a change does, and packets judge it in the same networks (`Rehearsal`).
//
// What no program can know without sending does not occur: a gateway that is up and forwards nothing, a server that is
// down, a firewall.
import CommandLineSupport
import Foundation
import SearchSupport

/// Compares the programs, or prints earlier results, as the command line says.
@main struct TruthSearch: Search {
  /// The folder with the adapters; without it, only this package's command takes part.
  private var peers = ""
  private var available: [String] = []
  private var absent: [String] = []
  private var only: [String] = []
  private var scenarios: [String] = []
  private var jobs = 8
  private var isShort = false
  private var measuresCosts = true
  private var rehearses = false
  private var isListing = false
  private var printsCommands = false
  private var json: String?
  private var page: String?
  private var picture: String?
  private var results: String?
  private var update: String?

  static let description = CommandDescription(
    of: "Benchmarks/truth",
    "Compares programs that say whether the network is usable with packets that arrive, or do not arrive.",
    success: "this package's command was right everywhere, or no prediction was wrong", failure: "it was not",
    examples: [
      "": "Every program in every network: half an hour.",
      "--short": "Three minutes.",
      "--rehearse": "The predictions of `reachability rehearse`: one minute.",
    ])

  static var options: [SearchOption<TruthSearch>] {
    [
      .flag("short", "only this package's command and GLib's netlink monitor, without costs") {
        $0.isShort = true
        $0.measuresCosts = false
      },
      .text(
        "only", "NAME", "only this competitor; 'reachability' is the command of this package",
        isRepeatable: true
      ) {
        $0.only.append($1)
      },
      .text("scenario", "TEXT", "only scenarios whose name contains the text", isRepeatable: true) {
        $0.scenarios.append($1)
      },
      .number("jobs", "how many trials run at once", default: "8", from: 1) { $0.jobs = $1 },
      .flag("no-costs", "neither start, memory nor churn") { $0.measuresCosts = false },
      .flag(
        "rehearse",
        "compare no program, but what a rehearsal of each change predicts with the packets after it"
      ) {
        $0.rehearses = true
      },
      .text("json", "FILE", "write all results") { $0.json = $1 },
      .text("page", "FILE", "write the page of the documentation") { $0.page = $1 },
      .text("picture", "FILE", "write the table as an SVG picture") { $0.picture = $1 },
      .text("results", "FILE", "measure nothing; write page and picture from such a JSON file") {
        $0.results = $1
      },
      .text("update", "FILE", "measure, and put the results in the place of those in such a JSON file") {
        $0.update = $1
      },
      .flag("list", "print the scenarios") { $0.isListing = true },
      .flag("commands", "print the commands that repeat the scenarios in a shell") {
        $0.printsCommands = true
      },
      // The script's own.
      .text("peers", "FOLDER", "the folder with the adapters of the other programs") { $0.peers = $1 },
      .text("available", "NAME", "another program that is installed", isRepeatable: true) {
        $0.available.append($1)
      },
      .text("absent", "TEXT", "another program that is not, and why", isRepeatable: true) {
        $0.absent.append($1)
      },
    ]
  }

  var needsNamespaces: Bool { !isListing && !printsCommands && results == nil }

  func run() throws -> Bool {
    let scenarios = try selection()
    if isListing || printsCommands {
      for scenario in scenarios { say(isListing ? scenario.name : Page.commands(for: scenario) + "\n") }
      return true
    }
    if let results {
      try write(read(results))
      return true
    }
    if rehearses { return Rehearsal.compare(scenarios, jobs: jobs) }
    let competitors = try competitors()
    say("\(competitors.count) competitors, \(scenarios.count) scenarios")
    var league = League(competitors, absent: absent, scenarios, trialsAtOnce: jobs)
    league.trials = Trial.all(of: competitors, in: scenarios, jobs: jobs)
    if measuresCosts { league.costs = try Cost.measure(competitors) }
    for competitor in competitors {
      say("\(competitor.title): \(Page.line(league.summary(of: competitor.name)))")
    }
    try write(update.map { try read($0).updated(by: league) } ?? league)
    return league.summary(of: "reachability").isPerfect
  }

  /// The scenarios that were asked for.
  private func selection() throws(UsageError) -> [Scenario] {
    let selected = Scenarios.all.filter { scenario in
      scenarios.isEmpty || scenarios.contains { scenario.name.contains($0) }
    }
    guard !selected.isEmpty else {
      throw UsageError("no scenario has such a name", hint: "--list prints them")
    }
    return selected
  }

  /// The competitors that were asked for.
  private func competitors() throws -> [Competitor] {
    let known = ["reachability"] + available.filter { !isShort || $0 == "gio-netlink" }
    if let name = only.first(where: { !known.contains($0) }) {
      throw UsageError("'\(name)' is not available", hint: "use \(known.inWords("or"))")
    }
    return try known.filter { only.isEmpty || only.contains($0) }.map { name in
      try name == "reachability" ? .ours() : .adapter(name, in: peers)
    }
  }

  private func read(_ path: String) throws -> League {
    try JSONDecoder().decode(League.self, from: Data(contentsOf: URL(filePath: path)))
  }

  private func write(_ league: League) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    if let json { try encoder.encode(league).write(to: URL(filePath: json)) }
    if let page { try Page(league).text.write(toFile: page, atomically: true, encoding: .utf8) }
    if let picture { try Picture(league).text.write(toFile: picture, atomically: true, encoding: .utf8) }
  }
}
