// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import DeadlineSupport
import Foundation
import LiveSupport
import RequirementSupport
import Testing

/// `reachability record` on disks that are full, fail, or lose power.
@Suite(.needsNamespaces, .deadline) struct `A record and its disk` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

  /// A network whose commands have a disk of 64 KB at the folder.
  private func networkWithSmallDisk() throws -> NetworkNamespace {
    let network = try NetworkNamespace.wired()
    try network.hideFolders()
    try network.sh("mount -t tmpfs -o size=64k tmpfs '\(folder.path)'")
    return network
  }

  @Test(.needsPython) func `a full disk is reported once, and costs only the lines meanwhile`() throws {
    let network = try networkWithSmallDisk()
    func text() throws -> String { try network.sh("cat '\(folder.file)'") }
    func change() throws {
      try network.sh("for i in $(seq 2 61); do ip route replace 10.9.0.0/16 via 10.1.0.$i; done")
    }
    try network.sh("head -c 40000 /dev/zero >'\(folder.path)/filler'")
    let command = try folder.record("--heartbeat", "1s", "10.9.0.1", in: network)
    let problem = "could not write to \(folder.file): No space left on device"
    let deadline = ContinuousClock.now + .seconds(20)
    while try !network.sh("df --output=avail '\(folder.path)'").contains("\n    0") {
      try change()
      try #require(ContinuousClock.now < deadline)
    }
    // The last block of the file has room for some more lines.
    try change()
    try #expect(command.nextLine(of: .errors) == "error: \(problem); lines are lost until it works again")
    let before = try text()
    #expect(before.hasSuffix("\n"))
    // More than a second, in which it tries again.
    for _ in 0..<8 { try change() }
    try network.ip("route replace 10.9.0.0/16 via 10.1.0.99")
    try #expect(text() == before)

    try network.sh("rm '\(folder.path)/filler'")
    let note = try command.nextLine(of: .errors)
    let lost = try #require(note.firstMatch(of: /^writing works again, ([0-9]+) lines were lost$/)?.output.1)
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(outcome.status == 0)
    #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome.errors)")
    let after = try text()
    #expect(after.hasPrefix(before))
    let added = after.dropFirst(before.count).split(separator: "\n").map(\.description.withEqualRuns)
    #expect(Int(lost) ?? 0 > 0)
    #expect(added.first == #"{"version":1,"time":"TIME",UPTIME,"lost":\#(lost),"event":"resume"}"#)
    #expect(added.dropFirst().first?.contains(#""path":"#) == true)
    let status = added.dropFirst(2).first ?? ""
    #expect(status.contains(#""gateway":"10.1.0.99""#) && status.contains(#""event":"initial""#), "\(added)")
    try network.sh(#"/usr/bin/python3 -c '\#(RecordFolder.decoder)' '\#(folder.file)'"#)
  }

  @Test func `a record on a disk that stays full ends with an error`() throws {
    let network = try networkWithSmallDisk()
    _ = try network.shell("head -c 100000 /dev/zero >'\(folder.path)/filler'")
    let command = try folder.record(in: network)
    let problem = "error: could not write to \(folder.file): No space left on device"
    try #expect(command.nextLine(of: .errors) == "\(problem); lines are lost until it works again")
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(outcome.status == 2)
    #expect(outcome.errors.hasSuffix("\nerror: not all lines are in \(folder.file)\n"), "\(outcome)")
    try #expect(network.sh("cat '\(folder.file)'") == "")
  }

  @Test func `a record that ends when its disk has room again is complete from then on`() throws {
    let network = try networkWithSmallDisk()
    _ = try network.shell("head -c 100000 /dev/zero >'\(folder.path)/filler'")
    let command = try folder.record("10.9.0.1", in: network)
    let problem = "error: could not write to \(folder.file): No space left on device"
    try #expect(command.nextLine(of: .errors) == "\(problem); lines are lost until it works again")
    // It ends before it would try again, which happens once a second.
    try network.sh("rm '\(folder.path)/filler'")
    command.send(SIGTERM)
    let outcome = try command.finish()
    #expect(outcome.status == 0, "\(outcome)")
    let note = outcome.errors.split(separator: "\n").last ?? ""
    #expect(note.wholeMatch(of: /writing works again, [0-9]+ lines were lost/) != nil, "\(outcome)")
    let lines = try network.sh("cat '\(folder.file)'").split(separator: "\n")
    let events = lines.compactMap { $0.firstMatch(of: /"event":"([a-z]+)"}$/)?.output.1 }
    #expect(events.prefix(2) == ["start", "resume"] && events.last == "stop", "\(lines)")
    #expect(events.count == lines.count)
  }

  @Test(.needsDisks, .needsPython)
  func `a loss of power leaves all lines that were flushed, and no part of another`() throws {
    let network = try NetworkNamespace.wired()
    try network.hideFolders()
    let disk = try RecordFolder()
    // Without the option, the file system itself would bring everything to the disk after five seconds.
    try network.sh(
      """
      truncate -s 16M '\(disk.file)' && mkfs.ext4 -q '\(disk.file)'
      mount -o loop,commit=300 '\(disk.file)' '\(folder.path)'
      """)
    func text() throws -> String { try network.sh("cat '\(folder.file)'") }
    /// Changes the gateway, and waits until the line about it is in the file, and on the disk if necessary.
    func change(_ gateway: Int, untilIn file: String) throws {
      let line = #""gateway":"10.1.0.\#(gateway)""#
      try network.sh(
        """
        ip route replace 10.9.0.0/16 via 10.1.0.\(gateway)
        for i in $(seq 2000); do if grep -aqF '\(line)' '\(file)'; then exit; fi; sleep 0.01; done; exit 1
        """)
    }
    let first = try folder.record("10.9.0.1", in: network)
    for gateway in 2...6 { try change(gateway, untilIn: disk.file) }
    // One flush ends before the next begins, so all lines before the last change are complete on the disk.
    let safe = try #require(text().range(of: #""gateway":"10.1.0.6""#)).lowerBound
    let kept = try text()[..<safe].components(separatedBy: "\n").dropLast()
    for gateway in 7...40 { try change(gateway, untilIn: folder.file) }
    let before = try text()
    // EXT4_IOC_SHUTDOWN without writing the journal: the file system stops, and what is in memory is lost.
    try network.sh(
      """
      /usr/bin/python3 -c '
      import fcntl, os, struct
      fcntl.ioctl(os.open("\(folder.path)", os.O_RDONLY), 0x8004587D, struct.pack("I", 2))'
      """)
    first.send(SIGKILL)
    try #expect(first.exitStatus() == 128 + SIGKILL)
    try network.sh("umount '\(folder.path)'; mount -o loop '\(disk.file)' '\(folder.path)'")

    // The file system may have the file's new size without the bytes, which are zeros then.
    let after = try text().trimmingCharacters(in: CharacterSet(charactersIn: "\0"))
    #expect(before.hasPrefix(after), "\(after.suffix(1000))")
    #expect(after.components(separatedBy: "\n").starts(with: kept), "\(after)")
    let second = try folder.record("10.9.0.1", in: network)
    try change(50, untilIn: folder.file)
    second.send(SIGTERM)
    try #expect(second.finish() == Outcome(status: 0))
    try #expect(text().components(separatedBy: "\n").starts(with: kept))
    // The decoder refuses what remains of a line, and zeros.
    try network.sh(#"/usr/bin/python3 -c '\#(RecordFolder.decoder)' '\#(folder.file)'"#)
  }

  @Test func `a disk that flushes nothing is reported once`() throws {
    let network = try NetworkNamespace.wired()
    // Programs that this thread starts get the error, too.
    try network.run { try Faults.refuse("fdatasync", with: EIO) }
    let command = try folder.record("--heartbeat", "1s", in: network)
    let problem = "error: could not bring \(folder.file) to the disk: Input/output error"
    try #expect(command.nextLine(of: .errors) == problem)
    try folder.wait(for: #""event":"heartbeat""#, 3)
    command.send(SIGTERM)
    try #expect(command.finish() == Outcome(status: 0, errors: problem + "\n"))
  }
}

extension Trait where Self == Requirement {
  /// Skips tests where no file can be mounted as a disk.
  fileprivate static var needsDisks: Self {
    Self(
      .unless(
        """
        set -e
        disk=$(mktemp)
        trap 'rm -f "$disk"' EXIT
        truncate -s 1M "$disk" && mkfs.ext4 -q "$disk" && unshare --mount mount -o loop "$disk" /mnt
        """, "no file can be mounted as a disk here"))
  }
}
#endif
