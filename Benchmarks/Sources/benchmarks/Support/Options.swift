// SPDX-License-Identifier: Apache-2.0
/// The command line options.
struct Options {
  struct Problem: Error, CustomStringConvertible {
    let description: String
  }

  var rows = Row.all
  var isQuick = false
  var isHelp = false
  var isList = false
  /// The file for the table as JSON.
  var json: String?
  /// The command `reachability`, a program that uses GLib's GNetworkMonitor, and valgrind; `nil` if unavailable.
  var command: String?
  var gio: String?
  var valgrind: String?

  static let usage = """
    usage: Benchmarks/run [--quick] [--only NAME…] [--json FILE] [--list] [--help]

      --quick        run everything in less than a minute: proves that it works, not how fast
      --only NAME…   run these rows only
      --json FILE    also write the table to a file
      --list         list the rows
      --help         print this text

    Benchmarks/run adds three options; rows that need them are omitted otherwise:
      --command PATH   the command `reachability`
      --gio PATH       the program built from Peers/gio.c
      --valgrind PATH  valgrind

    Every figure is the median of rounds in which the library and its peer take turns; the spread is the least and
    the greatest ratio of a round. "over" marks a missed goal; the exit status is then 1.

    """

  init(_ arguments: [String]) throws(Problem) {
    var rest = arguments[...]
    func value(_ option: String) throws(Problem) -> String {
      guard let value = rest.popFirst(), !value.hasPrefix("--") else {
        throw Problem(description: "\(option) requires a value")
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
      case "--valgrind": valgrind = try value(argument)
      case "--only":
        var names = [try value(argument)]
        while let next = rest.first, !next.hasPrefix("-") {
          names.append(next)
          rest.removeFirst()
        }
        let known = Set(Row.all.map(\.name))
        if let unknown = names.first(where: { !known.contains($0) }) {
          throw Problem(description: "unknown row '\(unknown)'; --list prints all rows")
        }
        rows = Row.all.filter { names.contains($0.name) }
      default: throw Problem(description: "unexpected argument '\(argument)'")
      }
    }
  }
}

/// A row of the table: one measurement, in one or more lines.
struct Row: Sendable {
  var name: String
  var summary: String
  var run: @Sendable (Bench) -> [Line]

  static let all: [Row] = [
    .lookup, .reask, .latency, .rested, .cold, .work, .watch, .startup, .memory, .touched, .churn, .storm,
    .idle, .check, .addresses, .metering, .observers, .traffic,
  ]
}
