#if os(Linux)
import LiveSupport

/// The command line options.
struct Options {
  /// The folder with the adapters; without it, only this package's command takes part.
  var peers: String?
  var available: [String] = []
  var absent: [String] = []
  var only: [String] = []
  var scenarios: [String] = []
  var jobs = 8
  var measuresCosts = true
  var isListing = false
  var printsCommands = false
  var json: String?
  var page: String?
  var picture: String?
  var results: String?
  var update: String?

  static let usage = """
    Compares programs that say whether the network is usable with packets that arrive, or do not arrive.

    Usage: Benchmarks/truth [OPTION…]

      --short           only this package's command and GLib's netlink monitor, without costs
      --only NAME       only this competitor; repeatable (reachability is the command of this package)
      --scenario TEXT   only scenarios whose name contains the text; repeatable
      --jobs N          how many trials run at once (default 8)
      --no-costs        neither start, memory nor churn
      --json FILE       write all results
      --page FILE       write the page of the documentation
      --picture FILE    write the table as an SVG picture
      --results FILE    measure nothing; write page and picture from such a JSON file
      --update FILE     measure, and put the results in the place of those in such a JSON file
      --list            print the scenarios
      --commands        print the commands that repeat the scenarios in a shell

    Exit status: 0 this package's command was right everywhere, 1 it was not, 2 invalid arguments or failed setup, 77
    skipped, since no network namespace can be created.
    """

  /// Parses the arguments.
  init(_ words: inout NetworkProgram.Words) throws(NetworkProgram.Mistake) {
    while let word = words.next() {
      switch word {
      case "--peers": peers = try words.text(after: word)
      case "--available": available.append(try words.text(after: word))
      case "--absent": absent.append(try words.text(after: word))
      case "--only": only.append(try words.text(after: word))
      case "--scenario": scenarios.append(try words.text(after: word))
      case "--jobs": jobs = try words.number(after: word, from: 1)
      case "--no-costs": measuresCosts = false
      case "--json": json = try words.text(after: word)
      case "--page": page = try words.text(after: word)
      case "--picture": picture = try words.text(after: word)
      case "--results": results = try words.text(after: word)
      case "--update": update = try words.text(after: word)
      case "--list": isListing = true
      case "--commands": printsCommands = true
      default: throw NetworkProgram.Mistake("unknown option '\(word)'")
      }
    }
  }

  /// The scenarios that were asked for.
  func selection() throws(NetworkProgram.Mistake) -> [Scenario] {
    let selected = Scenarios.all.filter { scenario in
      scenarios.isEmpty || scenarios.contains { scenario.name.contains($0) }
    }
    guard !selected.isEmpty else {
      throw NetworkProgram.Mistake("no scenario has such a name; --list prints them")
    }
    return selected
  }

  /// The competitors that were asked for.
  func competitors() throws -> [Competitor] {
    let known = ["reachability"] + available
    if let name = only.first(where: { !known.contains($0) }) {
      throw NetworkProgram.Mistake("'\(name)' is not available; use \(known.joined(separator: ", "))")
    }
    return try known.filter { only.isEmpty || only.contains($0) }.map { name in
      try name == "reachability" ? .ours() : .adapter(name, in: peers ?? "")
    }
  }
}
#endif
