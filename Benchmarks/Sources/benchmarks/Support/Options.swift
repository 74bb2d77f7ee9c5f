/// What the user asked for.
struct Options {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  var rows = Row.all
  var isQuick = false
  var isHelp = false
  var isList = false
  /// Where to write the table as JSON.
  var json: String?
  /// The command `reachability`, and a program that uses GLib's GNetworkMonitor; `nil` where there is none.
  var command: String?
  var gio: String?

  static let usage = """
    usage: Benchmarks/run [--quick] [--only NAME…] [--json FILE] [--list] [--help]

      --quick        all of it in less than a minute: shows that it works, not how fast it is
      --only NAME…   these rows only
      --json FILE    write the table to a file, too
      --list         name the rows
      --help         this text

    Benchmarks/run gives two more, without which some rows are left out:
      --command PATH   the command `reachability`
      --gio PATH       the program made of Peers/gio.c

    Every figure is the median of rounds in which ours and what it is compared with take turns; the spread is the
    least and the greatest ratio of a round. "over" means that a goal is missed; the exit status is then 1.

    """

  init(_ arguments: [String]) throws(Problem) {
    var rest = arguments[...]
    func value(_ option: String) throws(Problem) -> String {
      guard let value = rest.popFirst(), !value.hasPrefix("--") else {
        throw Problem(description: "\(option) needs a value")
      }
      return value
    }
    while let argument = rest.popFirst() {
      switch argument {
      case "--quick": isQuick = true
      case "--help", "-h": isHelp = true
      case "--list": isList = true
      case "--json": json = try value(argument)
      case "--command": command = try value(argument)
      case "--gio": gio = try value(argument)
      case "--only":
        var names = [try value(argument)]
        while let next = rest.first, !next.hasPrefix("-") {
          names.append(next)
          rest.removeFirst()
        }
        let known = Set(Row.all.map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
          throw Problem(description: "there is no row '\(unknown)'; --list names them")
        }
        rows = Row.all.filter { names.contains($0.name) }
      default: throw Problem(description: "unexpected argument '\(argument)'")
      }
    }
  }
}

/// A row of the table: one thing that is measured, in one line or some.
struct Row: Sendable {
  var name: String
  var summary: String
  var run: @Sendable (Bench) -> [Line]

  static let all: [Row] = [
    .lookup, .reask, .latency, .startup, .memory, .touched, .churn, .storm, .idle, .check, .addresses,
    .metering, .observers,
  ]
}
