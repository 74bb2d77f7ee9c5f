// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandLineSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// The shells offer what the declarations of the commands say.
@Suite(.deadline) struct Completions {
  private static let commands = `Generated files`.commands.map(\.name)

  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(
    path: "../../share"
  ).standardized.path(percentEncoded: false)

  /// The options that a command accepts, with their hyphens.
  private static func options(of command: String) -> Set<String> {
    let description = `Generated files`.commands.first { $0.name == command }
    return Set((description?.options ?? []).map { "--\($0.name)" })
  }

  /// The interfaces of the machine, from sysfs.
  private static var interfaces: Set<String> {
    Set((try? FileManager.default.contentsOfDirectory(atPath: "/sys/class/net")) ?? [])
  }

  /// Whether completion offers all interfaces; again where their list changed meanwhile, as when a module is loaded.
  private func areInterfaces(_ complete: () throws -> Set<String>) throws -> Bool {
    for _ in 0..<20 {
      let before = Self.interfaces
      let found = try complete()
      if found == before { return true }
      if Self.interfaces == before { return false }
    }
    return false
  }

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
    #expect(try bash("") == Set(Self.commands + ["default", "help"]))
    #expect(try bash("--") == Self.options(of: "check"))
    #expect(try bash("help", "w") == ["watch", "wait"])
    #expect(try bash("10.9.0.1", "--i") == ["--interface", "--ipv4", "--ipv6"])
    #expect(try bash("watch", "de") == ["default"])
    #expect(try bash("path", "") == [])
    #expect(try bash("report", "--since", "") == [])
    #expect(try bash("report", "\(Self.folder)/bas") == ["\(Self.folder)/bash-completion"])
    #expect(try bash("verify", "h") == ["http://", "https://"])
    #expect(try bash("verify", "--share", "50%", "--e") == ["--expect-body", "--expect-status", "--every"])
    #expect(try areInterfaces { try bash("--interface", "") })
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
    #expect(try fish("") == Set(Self.commands + ["default", "help"]))
    #expect(try areInterfaces { try fish("--interface ") })
    #expect(try fish("path --require w") == ["wired", "wifi"])
    #expect(try fish("wait --until ") == ["reachable", "unreachable"])
  }

  @Test(Requirement(.withoutPrograms("zsh")))
  func `zsh parses its completions`() throws {
    #expect(try words("zsh", "zsh -n \"$1\"", ["\(Self.folder)/zsh/site-functions/_reachability"]) == [])
  }
}
#endif
