#if os(Linux)
import CommandLineSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

@testable import ReachabilityCLI
@testable import ReachabilityReportCLI
@testable import ReachabilityVerifyCLI

/// The shell completions and the manual match the options that the commands accept.
@Suite(.deadline) struct `Completions and the manual` {
  private static let commands = [
    "check", "watch", "record", "wait", "path", "explain", "export", "verify", "report",
  ]

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../share"
  ).standardized.path(percentEncoded: false)

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
  }

  /// The options of the commands that are separate programs.
  private static let separate = ["verify": VerifyInvocation.options, "report": ReportInvocation.options]

  /// The options that a command accepts, with their hyphens.
  private static func options(of command: String) -> Set<String> {
    if let options = separate[command] { return Set(options.map { "--\($0.name)" }) }
    return Set(
      Invocation.options.filter { option in
        option.commands.map { $0.contains(command) } ?? true
      }.map { "--\($0.name)" })
  }

  /// The interfaces of the machine, from sysfs.
  private static let interfaces = Set(
    (try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? [])

  private func words(_ shell: String, _ script: String, _ arguments: [String]) throws -> Set<String> {
    let network = try NetworkNamespace()
    let result = try network.shell("exec \(shell) -c \"$@\"", [script, shell] + arguments)
    // Only standard output counts: fish warns on standard error about a missing home folder.
    #expect(result.status == 0, "\(result.standardError)")
    return Set(result.standardOutput.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) })
  }

  /// The completions that bash offers for the last word.
  private func bash(_ line: String...) throws -> Set<String> {
    let script = """
      . "$1"; shift; COMP_WORDS=(reachability "$@"); COMP_CWORD=$#; _reachability; printf '%s\\n' "${COMPREPLY[@]}"
      """
    return try words("bash", script, ["\(Self.folder)/bash-completion/completions/reachability"] + line)
  }

  private func fish(_ line: String) throws -> Set<String> {
    let file = "\(Self.folder)/fish/vendor_completions.d/reachability.fish"
    return try words("fish", "source $argv[2]; complete -C \"reachability $argv[3]\"", [file, line])
  }

  @Test(arguments: commands)
  func `bash completes the options of each command`(command: String) throws {
    #expect(try bash(command, "--") == Self.options(of: command))
    #expect(try bash("--json", "--timeout", "wait", command, "10.9.0.1", "--") == Self.options(of: command))
  }

  @Test func `bash completes commands, targets and values`() throws {
    #expect(try bash("") == Set(Self.commands + ["default"]))
    #expect(try bash("--") == Self.options(of: "check"))
    #expect(try bash("10.9.0.1", "--s") == ["--settle"])
    #expect(try bash("watch", "de") == ["default"])
    #expect(try bash("path", "") == [])
    #expect(try bash("report", "--since", "") == [])
    #expect(try bash("report", "\(Self.folder)/bas") == ["\(Self.folder)/bash-completion"])
    #expect(try bash("verify", "h") == ["http://", "https://"])
    #expect(try bash("verify", "--share", "50%", "--e") == ["--expect-body", "--expect-status", "--every"])
    #expect(try bash("--interface", "") == Self.interfaces)
    #expect(try bash("path", "--require", "w") == ["wired", "wifi"])
    #expect(try bash("wait", "--until", "") == ["reachable", "unreachable"])
    #expect(try bash("wait", "--timeout", "") == [])
    #expect(try bash("wait", "--verify", "t") == ["tcp://"])
    #expect(try bash("record", "--verify-every", "") == [])
    #expect(try bash("export", "--textfile", "/etc/hostn") == ["/etc/hostname"])
  }

  @Test(Requirement(.withoutPrograms("fish")), arguments: commands)
  func `fish completes the options of each command`(command: String) throws {
    #expect(try fish("\(command) --") == Self.options(of: command))
  }

  @Test(Requirement(.withoutPrograms("fish")))
  func `fish completes commands, targets and values`() throws {
    #expect(try fish("") == Set(Self.commands + ["default"]))
    #expect(try fish("--interface ") == Self.interfaces)
    #expect(try fish("path --require w") == ["wired", "wifi"])
    #expect(try fish("wait --until ") == ["reachable", "unreachable"])
  }

  @Test(Requirement(.withoutPrograms("zsh")))
  func `zsh parses its completions`() throws {
    #expect(try words("zsh", "zsh -n \"$1\"", ["\(Self.folder)/zsh/site-functions/_reachability"]) == [])
  }

  /// Parses the file, since zsh completes in terminals only.
  @Test(arguments: commands)
  func `the zsh completions have the options of each command`(command: String) throws {
    let text = try Self.text("zsh/site-functions/_reachability")
    func options(_ text: Substring) -> Set<String> {
      Set(text.matches(of: /--[a-z\-]+(?=\[|,)/).map { String($0.output) })
    }
    let general = try #require(text.range(of: "  commands=("))
    let isApart = Self.separate[command] != nil
    let branch = text.range(of: "    \(command))").map {
      text[$0.upperBound...].prefix(while: { $0 != "\u{0}" })
    }
    let own = branch.flatMap { branch in branch.range(of: ";;").map { branch[..<$0.lowerBound] } } ?? ""
    var found = (isApart ? [] : options(text[..<general.lowerBound])).union(options(own)).union([
      "--help", "--version",
    ])
    if own.contains("#--json*") { found.remove("--json") }
    if own.contains("target_options=()") { found.subtract(["--interface", "--from", "--mark"]) }
    #expect(found == Self.options(of: command))
    #expect(text.contains("    '\(command):"))
  }

  /// A page of the manual.
  private static func manual(_ page: String) throws -> String {
    try text("man/man1/\(page).1").replacing("\\-", with: "-")
  }

  /// The options that a text names.
  private static func options(in text: String) -> Set<String> {
    Set(text.matches(of: /--[a-z\-]+[a-z]/).map { String($0.output) })
  }

  /// Whether a page describes an option under its name and its value's.
  private static func describes(_ option: Option, _ manual: String) -> Bool {
    let heading = option.valueName.map { ".BI --\(option.name) \" \($0)\"" } ?? " --\(option.name)"
    return manual.contains(heading) || manual.contains(".BR --\(option.name) ")
  }

  @Test func `the manual has the commands, options and exit statuses of the help text`() throws {
    let manual = try Self.manual("reachability")
    let help = Usage.text
    #expect(Self.options(in: manual) == Self.options(in: help))
    for option in Invocation.options { #expect(Self.describes(option, manual), "\(option.name)") }
    for command in Self.commands {
      #expect(manual.contains(".TP\n.B \(command)\n"), "\(command)")
      #expect(help.contains("\n  \(command) "), "\(command)")
    }
    for status in 0...2 { #expect(manual.contains(".TP\n.B \(status)\n")) }
  }

  @Test(arguments: [
    ("verify", VerifyInvocation.options, VerifyUsage.text),
    ("report", ReportInvocation.options, ReportUsage.text),
  ])
  func `the manual of a separate program has the options and exit statuses of its help text`(
    name: String, options: [Option], help: String
  ) throws {
    let manual = try Self.manual("reachability-\(name)")
    #expect(Self.options(in: manual) == Self.options(in: help))
    for option in options { #expect(Self.describes(option, manual), "\(option.name)") }
    let statuses = Set(help.matches(of: #/(?m)^(?:Exit status:)? +([0-2]) /#).map(\.output.1))
    #expect(Set(manual.matches(of: #/\.TP\n\.B ([0-2])\n/#).map(\.output.1)) == statuses)
  }
}
#endif
