// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import POSIX
import ReachabilityHistory

/// The command: runs arguments, and returns an exit status.
struct ReportTool {
  var output: StandardOutput

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    ReportInvocation.description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try ReportInvocation(parsed) }
    ) { ReportTool(output: $1).run($0) }
  }

  private func run(_ invocation: ReportInvocation) -> Int32 {
    do throws(UsageError) {
      try invocation.page.map { file throws(UsageError) in try Self.check(file, besides: invocation.files) }
      let reader = try read(invocation.files)
      let history = try history(of: reader, invocation)
      let shown = invocation.isRedacted ? history.redacted : history
      for machine in shown.ambiguousMachines {
        output.say(
          "warning: two boots of \(machine.escapedForTerminal) overlap: "
            + "several machines have this name, or its clock was wrong")
      }
      return try write(shown, reader: reader, invocation: invocation)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
  }

  /// Throws if the page would replace a record, as in `--html *.jsonl`, or what is no file.
  private static func check(_ page: String, besides inputs: [String]) throws(UsageError) {
    let file = ReplacedFile(page)
    let name = "give --html the name of the page, for example --html report.html"
    func error(_ what: String, hint: String) -> UsageError {
      UsageError("\(page) is \(what), which the page would replace", hint: hint)
    }
    switch file.occupant {
    case nil: break
    case .symbolicLink: throw error("a symbolic link", hint: "give --html the file that it leads to")
    case .other: throw error("not a regular file", hint: name)
    case .regularFile:
      if inputs.contains(where: file.isSame) || RecordReader.isRecord(page) {
        throw error("a record", hint: name)
      }
    }
  }

  /// Reads the files, and reports the lines that cannot be read.
  private func read(_ files: [String]) throws(UsageError) -> RecordReader {
    var reader = RecordReader()
    for file in files {
      do throws(RecordReadError) {
        try reader.read(file)
      } catch {
        throw UsageError("could not read \(file): \(error)", hint: error.hint)
      }
    }
    for problem in reader.problems { output.say("warning: \(problem.text.escapedForTerminal)") }
    if reader.lostCount > 0 {
      output.say("warning: \(reader.lostCount) lines are missing, because they could not be written")
    }
    guard reader.lineCount > 0 else {
      throw UsageError(
        "no line of a record is in \(files.inWords("or"))",
        hint: "give files that 'reachability record' wrote")
    }
    return reader
  }

  private func history(
    of reader: RecordReader, _ invocation: ReportInvocation
  ) throws(UsageError) -> History {
    let now = Timestamp.now.milliseconds
    let (from, until) = (invocation.since?.milliseconds(at: now), invocation.until?.milliseconds(at: now))
    let recorded: History?
    do throws(History.TooManySteps) {
      if let history = try History(reader, from: from, until: until) { return history }
      recorded = try History(reader)
    } catch {
      throw UsageError(
        "the records have too many lanes and times without a record for one report",
        hint: "give a shorter period with --since and --until")
    }
    let start = Timestamp(milliseconds: from ?? recorded?.from ?? 0)
    let end = Timestamp(milliseconds: until ?? recorded?.until ?? 0)
    throw UsageError(
      "the period would begin at \(start.localText) and end at \(end.localText)",
      hint: "give an earlier --since or a later --until")
  }

  private func write(
    _ history: History, reader: RecordReader, invocation: ReportInvocation
  ) throws(UsageError) -> Int32 {
    let result: WriteResult
    if let file = invocation.page {
      let page = HTMLPage(history, generated: Timestamp.now.milliseconds, isRedacted: invocation.isRedacted)
      do throws(Errno) {
        try ReplacedFile(file).replace(with: page.text, isPublic: false)
      } catch {
        throw UsageError(
          "could not write \(file): \(error)", hint: "give --html a file in a folder that you may write to")
      }
      return ExitStatus.success
    } else if invocation.isJSON {
      result = write(history.jsonObjects(invocation, reader))
    } else {
      let text = HistoryText(history, width: TerminalSize.ofOutput?.columns ?? 80, output).text
      result = output.write(output.characters.spelling(text))
    }
    return output.exitStatus(result, else: ExitStatus.success)
  }

  /// Writes a line for each object, many at once.
  private func write(_ objects: some Sequence<JSONObject>) -> WriteResult {
    var text = ""
    for object in objects {
      text += object.text + "\n"
      guard text.utf8.count >= 1 << 16 else { continue }
      let result = output.write(text)
      guard result == .written else { return result }
      text = ""
    }
    return output.write(text)
  }
}

/// The arguments of the command.
struct ReportInvocation: Sendable {
  var files: [String]
  var since: PeriodBound?
  var until: PeriodBound?
  var isJSON = false
  /// The file for the page.
  var page: String?
  /// Whether names and addresses are replaced.
  var isRedacted: Bool

  /// Interprets the options and operands of a command line.
  init(_ parsed: ParsedOptions) throws(UsageError) {
    files = parsed.operands
    since = try parsed.value(Self.since) { PeriodBound(text: $0) }
    until = try parsed.value(Self.until) { PeriodBound(text: $0) }
    isJSON = parsed.has(.json)
    page = try parsed.value(Self.html) { $0.isEmpty ? nil : $0 }
    isRedacted = parsed.has(Self.redact)
    if isJSON, page != nil {
      throw UsageError("--html and --json cannot be combined", hint: "remove one of them")
    }
    guard !files.isEmpty else {
      throw UsageError("no file was given", hint: "give at least one file that 'reachability record' wrote")
    }
  }

  private static let time = Option.Value("T", PeriodBound.acceptedTexts).explained
  private static let since = Option(
    "since", takes: time, "begin the report at this time", default: "the time of the first line")
  private static let until = Option(
    "until", takes: time, "end the report before this time", default: "the time of the last line")
  private static let html = Option(
    "html", takes: Option.Value("OUT", "the name of a file", completion: .files),
    "write a page for browsers to this file, and print nothing",
    detail: """
      See PAGE. A record, or what is no regular file, is not replaced. The page keeps the mode of the page that it \
      replaces, or else has what the umask leaves.
      """)
  private static let redact = Option(
    "redact",
    "replace the names of machines, targets, endpoints and interfaces, and addresses, by numbers",
    detail: """
      For example machine 1 and target 2. Times and reasons stay, and so do the target default and the names of files \
      in warnings.
      """)

  static let description: CommandDescription = {
    var description = CommandDescription(
      .report, takes: .files,
      """
      Prints when targets were reachable, and what happened when they were not, from the files that \
      'reachability record' wrote. Files may be those of several machines, and copies of each other. Those that gzip, \
      xz or zstd compressed are read through that program. Lines that cannot be read are counted, and reported with \
      the number of the first one.
      """,
      options: [since, until, html, redact, .json],
      notes: """
        In a bar, a character stands for an equal part of the period: █ reachable, ▇ to ▁ unreachable for a part of it \
        (the higher, the shorter), x unreachable, ? mostly unknown, ░ mostly not monitored.
        """,
      statuses: [
        0: "the report is complete", 2: "the usage is wrong, a file cannot be read, or no line can be read",
      ],
      examples: [
        .init(
          "reachability report history.jsonl* --since yesterday --until today", "What happened yesterday?"),
        .init("reachability report history.jsonl --html page.html", "Write a page that a browser shows."),
        .init(
          "reachability report --json db*/history.jsonl --since 2026-11-01",
          "The sums of several machines, for another program."),
      ], page: "RecordingHistory")
    description.isSeparate = true
    return description
  }()
}

/// The beginning or the end of a period, as a user writes it.
enum PeriodBound: Equatable, Sendable {
  /// A moment, in milliseconds since 1970.
  case moment(Int)
  /// So many milliseconds ago.
  case age(Int)
  /// The local midnight with which today began, or the day so many days before.
  case day(ago: Int)
  /// The last moment with this local time of day.
  case timeOfDay(String)

  /// The accepted forms, in words.
  static let acceptedTexts =
    "a local time such as '2026-11-23 09:14' or 02:00 (the last one), today or yesterday (their beginning), "
    + "a time with its zone such as 2026-11-23T09:14:02Z, or an age such as 30m, 24h or 7d"

  /// Reads a time by RFC 3339, a local time, date or time of day, a day in words, or an age.
  init?(text: String) {
    if text == "today" || text == "yesterday" {
      self = .day(ago: text == "today" ? 0 : 1)
    } else if Timestamp(local: "2000-01-01 \(text)") != nil {
      self = .timeOfDay(text)
    } else if let time = Timestamp(rfc3339: text) ?? Timestamp(local: text) {
      self = .moment(time.milliseconds)
    } else if let days = text.last == "d" ? Int(digits: text.dropLast()) : nil, days <= 36525 {
      self = .age(days * 86_400_000)
    } else if let duration = Duration(text: text) {
      self = .age(Int(duration / .milliseconds(1)))
    } else {
      return nil
    }
  }

  /// The bound, in milliseconds since 1970.
  func milliseconds(at now: Int) -> Int {
    switch self {
    case .moment(let moment): return moment
    case .age(let age): return now - age
    case .day(let days): return Self.local("00:00", daysAgo: days, at: now)
    case .timeOfDay(let text):
      let today = Self.local(text, daysAgo: 0, at: now)
      return today <= now ? today : Self.local(text, daysAgo: 1, at: now)
    }
  }

  /// A local time of day, today or so many days before.
  private static func local(_ time: String, daysAgo days: Int, at now: Int) -> Int {
    func date(_ milliseconds: Int) -> String {
      String(Timestamp(milliseconds: milliseconds).localText.prefix { $0 != " " })
    }
    func moment(_ text: String) -> Int { Timestamp(local: text)?.milliseconds ?? now }
    // Days have 23 to 25 hours, so noon leads to the right date.
    return moment("\(date(moment("\(date(now)) 12:00") - days * 86_400_000)) \(time)")
  }
}
