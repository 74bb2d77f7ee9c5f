// SPDX-License-Identifier: Apache-2.0
/// A command's name and what it does, as the overview of all commands lists them.
package struct CommandSummary: Sendable {
  package var name: String
  /// The beginning of a sentence, without a capital letter and a full stop.
  package var sentence: String
  /// The words that people type for this command, or for its purpose.
  package var synonyms: [String]

  package init(_ name: String, _ sentence: String, synonyms: [String] = []) {
    self.name = name
    self.sentence = sentence
    self.synonyms = synonyms
  }

  // Two programs have each of these.
  package static let verify = CommandSummary(
    "verify", "send requests to URLs or TCP ports, and detect captive portals",
    synonyms: ["ping", "probe", "test", "request", "portal"])
  package static let trace = CommandSummary(
    "trace", "name the firewall rule of this machine that drops a packet",
    synonyms: ["firewall", "nft", "iptables"])
  package static let report = CommandSummary(
    "report", "print what records say about a period: outages, causes and sums",
    synonyms: ["history", "outages", "uptime"])
  package static let rehearse = CommandSummary(
    "rehearse", "run a command in a copy of the network, and print what it would break",
    synonyms: ["simulate", "preview", "dryrun", "whatif"])
}

/// The one declaration of a command, from which parsing, help, the manual page, completions and the guide are made.
package struct CommandDescription: Sendable {
  /// What the arguments are that are not options.
  package enum Operands: Sendable {
    case none
    /// Addresses, hosts, URLs or the default route.
    case targets(isMany: Bool)
    case endpoints
    /// An address with protocol and port.
    case flow
    case files
    /// Targets, and another command with its arguments.
    case targetsAndCommand

    /// The operands in a synopsis.
    package var usage: String? {
      switch self {
      case .none: nil
      case .targets(let isMany): isMany ? "[TARGET…]" : "[TARGET]"
      case .endpoints: "TARGET…"
      case .flow: "TARGET"
      case .files: "FILE…"
      case .targetsAndCommand: "[TARGET…]"
      }
    }

    /// What stands behind the options in a synopsis.
    package var trailingUsage: String? {
      if case .targetsAndCommand = self { "[-- COMMAND…]" } else { nil }
    }
  }

  /// A command line that a person would type.
  package struct Example: Sendable {
    package var line: String
    /// The question that it answers, or what it does: a sentence.
    package var meaning: String

    package init(_ line: String, _ meaning: String) {
      self.line = line
      self.meaning = meaning
    }
  }

  package var summary: CommandSummary
  package var operands: Operands
  /// What the command does, in sentences.
  package var text: String
  /// The options, without those that all commands have.
  package var ownOptions: [Option]
  /// What a reader of the output has to know, in sentences.
  package var notes: String
  /// What each exit status means, beside the usual meaning of 2.
  package var statuses: [Int32: String]
  package var examples: [Example]
  /// The page of the guide.
  package var page: String?
  /// Whether the command is the one without a name.
  package var isStandard = false
  /// Whether the command is a program of its own.
  package var isSeparate = false
  /// The words that run this package's own tool, which is not installed: it has neither colours nor a manual page.
  package var tool: String?

  package init(
    _ summary: CommandSummary, takes operands: Operands, _ text: String, options: [Option],
    notes: String = "",
    statuses: [Int32: String], examples: [Example], page: String? = nil
  ) {
    self.summary = summary
    self.operands = operands
    self.text = text
    self.ownOptions = options
    self.notes = notes
    self.statuses = statuses
    self.examples = examples
    self.page = page
  }

  package var name: String { summary.name }

  /// The program that runs the command.
  package var program: String { isSeparate ? "reachability-\(name)" : "reachability" }

  /// All options of the command.
  package var options: [Option] { ownOptions + (tool == nil ? [.color, .help, .version] : [.help]) }

  /// The words that run the command.
  package var invocation: String { tool ?? "reachability \(name)" }

  /// The words after the program's name, with the options that must be given.
  package var synopsis: String {
    let required = options.filter(\.isRequired).map(\.usage)
    let words =
      [isStandard ? "[\(name)]" : name, operands.usage] + required + ["[OPTION…]", operands.trailingUsage]
    return words.compactMap(\.self).joined(separator: " ")
  }

  /// The meanings of the exit statuses, in order.
  package var exitStatuses: [(status: Int32, meaning: String)] {
    statuses.merging([ExitStatus.trouble: "the usage is wrong, or the system cannot be queried"]) { own, _ in
      own
    }
    .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The columns of a help text.
  package static let width = 80

  /// The help text: the synopsis, the options, the exit statuses and examples.
  package var help: String {
    let column = (options.map(\.usage.count).max() ?? 0) + 4
    func row(_ head: String, _ text: String, at column: Int) -> String {
      ("  " + head).padded(to: column) + text.wrapped(to: Self.width, indent: column) + "\n"
    }
    let usage = tool.map { "\($0) [OPTION…]" } ?? "reachability \(synopsis)"
    var help = text.wrapped(to: Self.width) + "\n\nUsage: \(usage)\n\nOptions:\n"
    for option in options { help += row(option.usage, option.explanation, at: column) }
    if !legends.isEmpty { help += "\n" }
    for (name, text) in legends { help += "\(name) is \(text).".wrapped(to: Self.width) + "\n" }
    if !notes.isEmpty { help += "\n" + notes.wrapped(to: Self.width) + "\n" }
    help += "\nExit status:\n"
    for (status, meaning) in exitStatuses { help += row("\(status)", meaning, at: 5) }
    help += "\nExamples:\n"
    for example in examples { help += "  \(example.line)\n      \(example.meaning)\n" }
    guard tool == nil else { return help }
    let ending = "'man reachability-\(name)' says more, and 'reachability --help' lists all commands."
    return help + "\n" + ending.wrapped(to: Self.width) + "\n"
  }

  /// What the names of values stand for, in the order of the options.
  package var legends: [(name: String, text: String)] {
    var names: Set<String> = []
    return options.compactMap { option in
      guard let value = option.value, let legend = value.legend, names.insert(value.name).inserted else {
        return nil
      }
      return (value.name, legend())
    }
  }
}

extension Collection<String> {
  /// The words that a mistyped word may mean: those that it begins, or else those that differ least from it.
  package func similar(to word: String) -> [String] {
    let begun = filter { !word.isEmpty && $0.hasPrefix(word) }
    if !begun.isEmpty { return begun }
    // A third of the letters may be wrong, missing, superfluous or swapped.
    let limit = Swift.max(1, word.count / 3)
    let distances = map { (word: $0, distance: $0.editDistance(to: word)) }
    guard let least = distances.map(\.distance).min(), least <= limit else { return [] }
    return distances.filter { $0.distance == least }.map(\.word)
  }
}

extension String {
  /// The number of letters to change, insert, remove or swap with their neighbour.
  func editDistance(to other: String) -> Int {
    let (first, second) = (Array(utf8), Array(other.utf8))
    // Each row has the distances of a beginning of the first word to all beginnings of the second one.
    var (beforeLast, last) = ([Int](), Array(0...second.count))
    for row in first.indices {
      var current = [row + 1]
      for column in second.indices {
        let isSame = first[row] == second[column]
        var distance = Swift.min(last[column + 1] + 1, current[column] + 1, last[column] + (isSame ? 0 : 1))
        if row > 0, column > 0, first[row] == second[column - 1], first[row - 1] == second[column] {
          distance = Swift.min(distance, beforeLast[column - 1] + 1)
        }
        current.append(distance)
      }
      (beforeLast, last) = (last, current)
    }
    return last[second.count]
  }
}
