// SPDX-License-Identifier: Apache-2.0
/// The table as a picture: a row for each program, a column for each network.
struct Picture {
  private let league: League

  init(_ league: League) { self.league = league }

  private static let left = 330
  private static let cell = 8
  private static let row = 24
  private static let top = 56

  var text: String {
    let width = Self.left + league.scenarios.count * Self.cell + 130
    let height = Self.top + league.competitors.count * Self.row + 40
    return """
      <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" role="img" font-family="sans-serif" font-size="13">
      <title>Right and wrong answers of each program in each network</title>
      <style>
      text { fill: #1d1d1f } .right { fill: #7fb8d8 } .wrong { fill: #b3261e } .none { fill: #d8d8dc } .paper { fill: #fff }
      @media (prefers-color-scheme: dark) { text { fill: #f5f5f7 } .right { fill: #2f6f93 } .wrong { fill: #ff8a80 } .none { fill: #48484a } .paper { fill: #1d1d1f } }
      </style>
      <rect class="paper" width="\(width)" height="\(height)"/>
      <text x="12" y="24" font-size="15" font-weight="bold">Is the network usable? Each program in \(league.scenarios.count) networks, judged by packets</text>
      <text x="12" y="44">\(escaped(league.date)), \(escaped(league.machine)). Low and pale: right. Tall and dark: wrong.</text>
      \(league.competitors.enumerated().map { line($0.offset, $0.element) }.joined(separator: "\n"))
      </svg>

      """
  }

  private func line(_ number: Int, _ entry: League.Entry) -> String {
    let y = Self.top + number * Self.row
    let summary = league.summary(of: entry.name)
    let trials = league.scenarios.map { league.trial(of: entry.name, in: $0.name) }
    var parts = ["<text x=\"12\" y=\"\(y + 16)\">\(escaped(entry.title))</text>"]
    for (column, (scenario, trial)) in zip(league.scenarios, trials).enumerated() {
      let faults = trial?.faults ?? []
      let kind = trial.map { $0.failure != nil ? "none" : $0.faults.isEmpty ? "right" : "wrong" } ?? "none"
      // The height tells it without colours.
      let height = kind == "wrong" ? 18 : 8
      let words = "\(scenario.name): \(faults.joined(separator: "; "))"
      let title = faults.isEmpty ? "" : "<title>\(escaped(words))</title>"
      let (x, top) = (Self.left + column * Self.cell, y + 20 - height)
      parts.append(
        "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(top)\" width=\"\(Self.cell - 1)\" height=\"\(height)\">\(title)</rect>"
      )
    }
    let x = Self.left + league.scenarios.count * Self.cell + 10
    parts.append(
      "<text x=\"\(x)\" y=\"\(y + 16)\">\(summary.general.correct) of \(summary.general.all)</text>")
    return parts.joined(separator: "\n")
  }

  private func escaped(_ text: String) -> String {
    text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing("\"", with: "&quot;")
  }
}
