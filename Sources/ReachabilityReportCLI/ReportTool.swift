import CommandLineSupport
import POSIX
import ReachabilityHistory

/// The command: runs arguments, and returns an exit status.
struct ReportTool {
  var output: StandardOutput

  /// Runs the arguments; the first one is the program's name.
  func run(_ arguments: [Argument]) -> Int32 {
    let description = CommandDescription(
      "reachability-report", help: ReportUsage.text, options: ReportInvocation.options)
    return description.run(
      arguments, output: output, reading: { parsed throws(UsageError) in try ReportInvocation(parsed) }, run)
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
      return try write(shown, reader, invocation)
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
    let now = WallClock.milliseconds
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
    let (start, end) = (from ?? recorded?.from ?? 0, until ?? recorded?.until ?? 0)
    throw UsageError(
      "the period would begin at \(LocalZone.text(start)) and end at \(LocalZone.text(end))",
      hint: "give an earlier --since or a later --until")
  }

  private func write(
    _ history: History, _ reader: RecordReader, _ invocation: ReportInvocation
  ) throws(UsageError) -> Int32 {
    let result: WriteResult
    if let file = invocation.page {
      let page = HTMLPage(history, generated: WallClock.milliseconds, isRedacted: invocation.isRedacted)
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
      result = output.write(HistoryText(history, width: TerminalSize.columns ?? 80, output).text)
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
