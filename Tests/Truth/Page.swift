// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The page of the documentation, generated from the results.
struct Page {
  private let league: League

  init(_ league: League) { self.league = league }

  var text: String {
    [introduction, answers, delays, costs, absent, scenarios, faults].filter { !$0.isEmpty }
      .joined(separator: "\n\n") + "\n"
  }

  // MARK: Parts

  private var introduction: String {
    """
    # Compared with others

    Programs that say whether the network is usable, compared with the packets that arrive.

    ## Overview

    `Benchmarks/truth` wrote this page on \(league.date) (\(league.machine)). It sets up \(league.scenarios.count) networks in network
    namespaces, changes each, and asks every program before and after the change. All the time a sender connects new
    sockets to addresses behind the default routes and sends packets. A network is *usable* if these packets arrive at the far end.
    Nothing else judges: neither routes nor links.

    What no program can know without sending a packet does not occur: a router that forwards nothing, a server that is down, a
    firewall.

    Each program is asked as its users ask it; `Benchmarks/Peers` holds the questions. NetworkManager, ConnMan and systemd-networkd run in the network
    namespace. The first two get profiles of the addresses and routes that exist when they start, do not follow what is configured later with `ip`,
    and have ten seconds after each change. `nm-online` and `systemd-networkd-wait-online` start a new daemon for each answer and may wait for a second.

    ![Right and wrong answers of each program in each network](compared-with-others)
    """
  }

  private var answers: String {
    var lines = [
      "## Answers", "",
      "*Usable?* counts the answers about the network in general before and after each change; *per target* counts those about single addresses, where a program can be asked about them.",
      "", "| program | version | usable? | per target |", "|---|---|---|---|",
    ]
    for entry in league.competitors {
      let summary = league.summary(of: entry.name)
      lines.append(
        "| \(entry.title) | \(entry.version.isEmpty ? "this package" : entry.version) | \(Self.share(summary.general)) | \(Self.share(summary.targets)) |"
      )
    }
    return lines.joined(separator: "\n")
  }

  private var delays: String {
    var lines = [
      "## Changes", "",
      "A change is *seen* if the program reports it and is then right. *Without a change* counts reports to which nothing corresponds: the answer changes back and forth, or something happens that packets do not use. The delay runs from the sending of the first packet that fares differently to the report; packets are sent every half millisecond. The kernel announces a change of a carrier up to a second late, and nothing but asking again and again finds it earlier. \(league.trialsAtOnce) trials ran at once.",
      "", "| program | seen | missed | without a change | delay, median | worst |",
      "|---|---|---|---|---|---|",
    ]
    for entry in league.competitors {
      let summary = league.summary(of: entry.name)
      guard summary.isWatching else {
        lines.append("| \(entry.title) | cannot report changes | | | | |")
        continue
      }
      lines.append(
        "| \(entry.title) | \(summary.seen) of \(summary.changes) | \(summary.changes - summary.seen) | \(summary.idleReports) | \(Self.milliseconds(summary.medianDelay)) | \(Self.milliseconds(summary.worstDelay)) |"
      )
    }
    return lines.joined(separator: "\n")
  }

  private var costs: String {
    guard !league.costs.isEmpty else { return "" }
    var lines = [
      "## Costs", "",
      "Start is the time from the start of the process to its first answer, with a routing table of 10 and of 1,000,000 routes. Memory is what the program and the daemons that it starts use then. The last columns are for 1,000 unrelated changes of routes a second. Programs that cannot report changes do not run meanwhile.",
      "",
      "| program | start, 10 routes | 1,000,000 | memory, 10 routes | 1,000,000 | processor time a second | wakeups a second | reports |",
      "|---|---|---|---|---|---|---|---|",
    ]
    for entry in league.competitors {
      guard let cost = league.costs.first(where: { $0.competitor == entry.name }) else { continue }
      let starts = [10, 1_000_000].map { count in cost.starts.first { $0.routes == count } }
      let times = starts.map { $0?.time.map { Self.milliseconds($0) } ?? "none in 2 min" }
      let memories = starts.map { $0?.memory.map { "\(Self.decimal(Double($0) / 1024)) MB" } ?? "" }
      let churn =
        cost.churn.map {
          "\(Self.milliseconds($0.processorTime)) | \(Self.decimal($0.wakeups)) | \($0.reports)"
        } ?? "| |"
      lines.append("| \(entry.title) | \((times + memories).joined(separator: " | ")) | \(churn) |")
    }
    return lines.joined(separator: "\n")
  }

  private var absent: String {
    guard !league.absent.isEmpty else { return "" }
    return (["### Not compared", ""] + league.absent.map { "- \($0)" }).joined(separator: "\n")
  }

  private var scenarios: String {
    var lines = [
      "## Networks and changes", "", "*Packets* says whether packets arrived before and after the change.",
      "",
      "| network and change | packets | wrong |", "|---|---|---|",
    ]
    for scenario in league.scenarios {
      let truth = (league.trial(of: "reachability", in: scenario.name)?.general ?? []).map {
        $0.truth ? "yes" : "no"
      }.joined(separator: ", ")
      let wrong = league.competitors.filter { entry in
        !(league.trial(of: entry.name, in: scenario.name)?.faults.isEmpty ?? true)
      }
      lines.append("| \(scenario.name) | \(truth) | \(wrong.map(\.title).joined(separator: ", ")) |")
    }
    return lines.joined(separator: "\n")
  }

  private var faults: String {
    var parts = [
      """
      ## Repeat a fault

      `Benchmarks/truth --scenario TEXT --only NAME` repeats one, and `Benchmarks/truth --commands --scenario TEXT` prints the commands.
      By hand, as root: `Benchmarks/Peers/build FOLDER` puts the programs into a folder. First the namespaces:

      ```
      \(Self.creation)
      ```

      Then the commands of a network, and the question: `ip netns exec machine FOLDER/NAME check`, or `… watch` before the change, where
      `$watcher` stands for its process. `\(Self.removal)` removes them.
      """
    ]
    for scenario in league.scenarios {
      let wrong = league.competitors.compactMap { entry -> String? in
        let faults = league.trial(of: entry.name, in: scenario.name)?.faults ?? []
        return faults.isEmpty ? nil : "- \(entry.title): \(faults.joined(separator: "; "))"
      }
      guard !wrong.isEmpty else { continue }
      parts.append(
        """
        ### \(scenario.name)

        \(wrong.joined(separator: "\n"))

        ```
        \((scenario.setup + ["# the change"] + scenario.change).joined(separator: "\n"))
        ```
        """)
    }
    return parts.joined(separator: "\n\n")
  }

  // MARK: Words

  private static let namespaces = ["machine", "world", "router"]
  /// The commands that precede every scenario.
  private static let creation = (namespaces.map { "ip netns add \($0)" } + Lab.preparation.map(\.shell))
    .joined(separator: "\n")
  private static let removal = namespaces.map { "ip netns del \($0)" }.joined(separator: "; ")

  /// The commands that repeat a scenario by hand.
  static func commands(for scenario: Scenario) -> String {
    """
    # \(scenario.name)
    \(creation)
    \(scenario.setup.map(\.shell).joined(separator: "\n"))
    # the change
    \(scenario.change.map(\.shell).joined(separator: "\n"))
    # packets arrive at \((Lab.general + scenario.targets).map(\.description).joined(separator: ", ")), or not
    ip netns exec machine reachability check \((["default"] + scenario.targets.map(\.description)).joined(separator: " "))
    \(removal)
    """
  }

  /// A row of the table in a line.
  static func line(_ summary: Summary) -> String {
    var parts = ["\(share(summary.general)) answers right"]
    if summary.targets.all > 0 { parts.append("\(share(summary.targets)) about targets") }
    if summary.isWatching {
      parts.append("\(summary.seen) of \(summary.changes) changes seen")
      parts.append("\(summary.idleReports) reports without a change")
      parts.append("delay \(milliseconds(summary.medianDelay)), worst \(milliseconds(summary.worstDelay))")
    }
    if summary.failures > 0 { parts.append("\(summary.failures) not measured") }
    return parts.joined(separator: "; ")
  }

  private static func share(_ count: (correct: Int, all: Int)) -> String {
    count.all == 0 ? "cannot be asked" : "\(count.correct) of \(count.all)"
  }

  static func milliseconds(_ value: Double?) -> String {
    value.map {
      $0 < 9.95 ? "\(decimal($0)) ms" : $0 < 9995 ? "\(Int($0.rounded())) ms" : "\(decimal($0 / 1000)) s"
    } ?? ""
  }

  private static func decimal(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return value < 99.5 ? "\(tenths / 10).\(tenths % 10)" : "\(Int(value.rounded()))"
  }
}
