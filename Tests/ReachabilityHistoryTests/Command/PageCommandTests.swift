// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import Testing

@Suite(.onOwnThreads, .deadline) struct `The options --html and --redact of report` {
  private static let record: String = {
    var record = RecordText()
    record.start(0, machine: "atlas")
    record.path(
      0, "satisfied", usable: #""name":"eth0","addresses":["10.1.0.1/24"],"gateways":["10.1.0.254"]"#)
    record.target(0, "reachable", name: "10.9.0.1")
    record.path(
      900, "unsatisfied", "noCarrier", unusable: #""name":"eth0","reason":"noCarrier","addresses":[]"#)
    record.target(1000, "notReachable", "noCarrier", name: "10.9.0.1")
    record.target(1400, "reachable", name: "10.9.0.1")
    record.add(2000, #""event":"stop""#)
    return record.text
  }()

  /// Runs the command in a folder that has the record, and returns what became of the folder.
  ///
  /// - Parameters:
  ///   - arguments: The arguments after the record.
  ///   - prefix: Shell commands to run in the folder before.
  private func report(
    _ arguments: String..., after prefix: String = ":"
  ) throws -> (outcome: Outcome, page: String?, files: [String]) {
    let folder = FileManager.default.temporaryDirectory.appending(path: "page-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(Self.record.utf8).write(to: folder.appending(path: "atlas.jsonl"))
    let outcome = try RunningCommand(
      ["atlas.jsonl"] + arguments, of: "reachability-report", environment: ["TZ": "UTC"],
      through: "cd '\(folder.path)' && { \(prefix); } && \"$@\" || exit; stat -c '%a %F' a.html 2>&-"
    ).finish()
    let page = try? String(contentsOf: folder.appending(path: "a.html"), encoding: .utf8)
    return (outcome, page, try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted())
  }

  @Test func `--html writes one file, and prints nothing`() throws {
    let (outcome, page, files) = try report("--html", "a.html")
    #expect(outcome.status == 0 && outcome.errors == "")
    #expect(files == ["a.html", "atlas.jsonl"])
    #expect(page?.hasPrefix("<!DOCTYPE html>\n") == true && page?.hasSuffix("</html>\n") == true)
    #expect(
      page?.contains(#""names":["path","10.9.0.1","eth0"]"#) == true
        && page?.contains(#"[1000,0,-1,400,1,0,600,0,-1]"#)
          == true
    )
  }

  @Test func `--redact leaves no name and no address in text, JSON and page`() throws {
    let outputs = [
      try report("--redact").outcome.output, try report("--redact", "--json").outcome.output,
      try #require(try report("--redact", "--html", "a.html").page),
    ]
    for output in outputs {
      for name in ["atlas", "10.9.0.1", "eth0", "10.1.0."] { #expect(!output.contains(name), "\(name)") }
      for pseudonym in ["machine 1", "target 1", "interface 1", "address 1"] {
        #expect(output.contains(pseudonym), "\(pseudonym)")
      }
    }
    #expect(outputs[1].contains(#""files":["file 1"]"#))
  }

  @Test func `a page that cannot be written is an error, and leaves nothing`() throws {
    let (outcome, _, files) = try report("--html", "missing/a.html")
    #expect(
      outcome
        == Outcome(
          status: 2,
          errors: """
            error: could not write missing/a.html: No such file or directory
            hint: give --html a file in a folder that you may write to

            """))
    #expect(files == ["atlas.jsonl"])
  }

  @Test(arguments: [
    ("umask 077", "600"), ("umask 027", "640"), ("umask 000", "666"),
    ("umask 022; touch a.html; chmod 600 a.html", "600"),
    ("umask 077; touch a.html; chmod 664 a.html", "664"),
  ])
  func `a page has the mode of the file that it replaces, or else what the umask leaves`(
    before: String, mode: String
  ) throws {
    let (outcome, page, _) = try report("--html", "a.html", after: before)
    #expect(outcome == Outcome(status: 0, output: "\(mode) regular file\n"))
    #expect(page?.isEmpty == false)
  }

  @Test func `a page replaces no record`() throws {
    let hint = "hint: give --html the name of the page, for example --html report.html\n"
    for (name, prefix) in [
      ("atlas.jsonl", ":"), ("./atlas.jsonl", ":"), ("other.jsonl", "cp atlas.jsonl other.jsonl"),
      ("same", "echo >same"),
    ] {
      let (outcome, _, files) = try report("same", "--html", name, after: "\(prefix); touch same")
      let error = "error: \(name) is a record, which the page would replace\n"
      #expect(outcome == Outcome(status: 2, errors: error + hint))
      #expect(files.contains("atlas.jsonl"))
    }
  }

  @Test(arguments: [
    ("mkfifo a.html", "not a regular file", "fifo"),
    ("ln -s missing a.html", "a symbolic link", "symbolic link"),
    ("mkdir a.html", "not a regular file", "directory"),
  ])
  func `what is no regular file is not replaced by a page`(before: String, what: String, kind: String) throws
  {
    let (outcome, _, files) = try report(
      "--html", "a.html", after: before + "; trap \"stat -c %F a.html\" EXIT")
    #expect(outcome.errors.hasPrefix("error: a.html is \(what), which the page would replace\nhint: "))
    #expect(outcome.status == 2 && outcome.output == kind + "\n")
    #expect(files == ["a.html", "atlas.jsonl"])
  }

  @Test(arguments: [
    (["--html", "a.html", "--json"], "--html and --json cannot be combined", "remove one of them"),
    (["--html="], "invalid value '' for --html", "give the name of a file"),
  ])
  func `a mistake is an error with a hint`(arguments: [String], error: String, hint: String) throws {
    let outcome = try RunningCommand(["a"] + arguments, of: "reachability-report").finish()
    #expect(outcome == Outcome(status: 2, errors: "error: \(error)\nhint: \(hint)\n"))
  }
}
#endif
