// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

/// The command `reachability`: arguments in, exit status out.
struct CommandLineTool {
  var output: StandardOutput

  /// The commands of this program; the first one needs no name.
  static let commands: [any Command.Type] = [
    CheckCommand.self, WatchCommand.self, RecordCommand.self, WaitCommand.self, PathCommand.self,
    ExplainCommand.self, ExportCommand.self,
  ]

  static var descriptions: [CommandDescription] { commands.map { $0.description } }

  /// Runs the command that the arguments name; the first argument is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    let position = Self.firstOperand(arguments)
    let word = position.map { arguments[$0].text }
    var rest = arguments
    if let position { rest.remove(at: position) }
    if word == "help", let position { return help(on: arguments[(position + 1)...].map(\.text)) }
    if let word, SeparateCommand.all.contains(where: { $0.name == word }) {
      return SeparateCommand(name: word, arguments: Array(rest.dropFirst()), output: output).run()
    }
    if let command = Self.commands.first(where: { $0.summary.name == word }) {
      return run(command, rest)
    }
    // Without a command, the first target may be a mistyped one.
    let similar = word.map { Self.similarCommands(to: $0) } ?? []
    return run(CheckCommand.self, arguments, help: { Self.overview }) { $0.similarCommands = similar }
  }

  /// The position of the first word that is neither an option nor an option's value; `nil` if only targets follow.
  private static func firstOperand(_ arguments: [Argument]) -> Int? {
    var position = 1
    while position < arguments.count {
      let word = arguments[position].text
      guard word.hasPrefix("-") else { return position }
      if word == "--" { return nil }
      let option = descriptions.lazy.flatMap(\.options).first { "--\($0.name)" == word }
      position += option?.value == nil ? 1 : 2
    }
    return nil
  }

  private func run<C: Command>(_ command: C.Type, _ arguments: [Argument]) -> Int32 {
    run(command, arguments, help: { nil }) { _ in }
  }

  private func run<C: Command>(
    _ command: C.Type, _ arguments: [Argument], help: () -> String?,
    completing complete: (inout C.Options) -> Void
  ) -> Int32 {
    C.description.run(
      arguments, besides: Self.descriptions, help: help(), output: output,
      reading: { parsed throws(UsageError) in
        var options = try C.Options(parsed)
        complete(&options)
        return options
      }
    ) { options, output in
      do throws(ReachabilityMonitorError) {
        let monitor = try ReachabilityMonitor.monitor(of: options.namespace)
        if options.observes { try Descriptors.check() }
        if let count = options.threadCount { try requireThreads(count) }
        return try C(options: options, monitor: monitor, output: output).run()
      } catch {
        output.report(error)
        return ExitStatus.trouble
      }
    }
  }

  // MARK: Help

  private static let helpSummary = CommandSummary("help", "print the help of a command, as its --help does")

  /// The commands of all programs.
  static var summaries: [CommandSummary] {
    commands.map { $0.summary } + SeparateCommand.all + [helpSummary]
  }

  /// The names of commands that a word may mean, which is none.
  private static func similarCommands(to word: String) -> [String] {
    guard word.utf8.allSatisfy({ (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) }) else { return [] }
    if let synonym = summaries.first(where: { $0.synonyms.contains(word) }) { return [synonym.name] }
    return summaries.map(\.name).similar(to: word)
  }

  private func help(on words: [String]) -> Int32 {
    guard let word = words.first, !word.hasPrefix("-") else { return output.print(Self.overview) }
    if SeparateCommand.all.contains(where: { $0.name == word }) {
      return SeparateCommand(name: word, arguments: [Argument("--help")], output: output).run()
    }
    if let command = Self.commands.first(where: { $0.summary.name == word }) {
      return output.print(command.description.help)
    }
    let similar = Self.similarCommands(to: word).map { "'\($0)'" }
    output.report(
      UsageError(
        "there is no command '\(word.redacted.escapedForTerminal)'",
        hint: similar.isEmpty
          ? "'reachability --help' lists the commands" : "did you mean \(similar.inWords("or"))?"))
    return ExitStatus.trouble
  }

  static let purpose = """
    Reports whether packets can leave this machine for a target, through which interface, and if not, why not. \
    It reads kernel state and sends nothing but DNS lookups; only '--connect', '--probe', '--verify' and 'verify' connect.
    """

  static let targetForms = [
    ("10.9.0.1, fd00::1", "an IPv4 or IPv6 address; link-local: fe80::1%eth0"),
    ("example.com", "a host name, as reachable as the best of its addresses"),
    ("https://example.com", "a URL, also tcp://10.9.0.1:22 or udp://[fd00::1]:53"),
    ("default", "the default route; also the target if there is none"),
  ]

  /// An example of each of the commands that people need first.
  static var examples: [CommandDescription.Example] {
    [CheckCommand.description, ExplainCommand.description, WaitCommand.description, WatchCommand.description]
      .compactMap(\.examples.first)
  }

  /// The help text of the program.
  static var overview: String {
    func rows(_ rows: [(String, String)], _ column: Int) -> String {
      rows.map { "  \($0.0.padded(to: column))\($0.1)\n" }.joined()
    }
    let commands = summaries.enumerated().map { position, summary in
      (summary.name, summary.sentence + (position == 0 ? " (the default command)" : ""))
    }
    return """
      \(purpose.wrapped(to: CommandDescription.width))

      Usage: reachability [COMMAND] [TARGET…] [OPTION…]

      Commands:
      \(rows(commands, 9))
      Targets:
      \(rows(targetForms, 21))
      Examples:
      \(examples.map { "  \($0.line)\n      \($0.meaning)\n" }.joined())
      'reachability COMMAND --help' lists the options of a command, and
      'man reachability' says more. 'reachability --version' prints the version.

      """
  }
}

extension ReachabilityMonitor {
  /// Returns a monitor of a network namespace, or the shared monitor of the command's own.
  ///
  /// The shared monitor lasts until the process ends, which frees everything at once and faster than a monitor does.
  static func monitor(of namespace: ReachabilityNamespace?) throws(ReachabilityMonitorError)
    -> ReachabilityMonitor
  {
    if let namespace { try ReachabilityMonitor(in: namespace) } else { try .availableShared() }
  }
}
