// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import POSIX
import Testing

@testable import ReachabilityCLI

/// The file of a record, on the real file system.
@Suite(.onOwnThreads, .deadline) struct `The file of a record` {
  private let folder: RecordFolder

  init() throws { folder = try RecordFolder() }

  private func open() throws(RecordFile.Failure) -> RecordFile {
    try RecordFile.forAppending(at: folder.file, beginningWith: "{\"v")
  }

  /// Opens a file that was closed; a child that another test starts keeps its lock until it runs its program.
  private func openAgain() throws -> RecordFile {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      do {
        return try open()
      } catch {
        guard error == .inUse, ContinuousClock.now < deadline else { throw error }
        usleep(1000)
      }
    }
  }

  private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test func `a new file is empty, and others may read it`() throws {
    let file = try open()
    #expect(file.size == 0)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file)
    let mask = umask(0)
    umask(mask)
    #expect(attributes[.posixPermissions] as? Int == 0o644 & ~Int(mask))
  }

  @Test func `lines are appended`() throws {
    let file = try open()
    #expect(file.append(bytes("{\"v\":1}\n")) == (8, nil))
    #expect(file.append(bytes("2\n3\n")) == (4, nil))
    #expect(folder.text() == "{\"v\":1}\n2\n3\n")
    #expect(file.size == 12)
    #expect(file.synchronize() == nil)
  }

  @Test(arguments: ["", "{", "{\"v\":1", String(repeating: "x", count: 200_000)])
  func `an unfinished last line is removed, and nothing else`(rest: String) throws {
    let long = String(repeating: "y", count: 70_000)
    for text in ["", "{\"v\":1}\n", "{\"v\":1}\n2\n3\n", "{\"v\":1}\n\(long)\n"]
    where !(text.isEmpty && rest.hasPrefix("x")) {
      try folder.write(text + rest)
      _ = try openAgain()
      #expect(folder.text() == text)
    }
  }

  @Test(arguments: ["hello\n", "{\"x\":1}\n", "\n", "hello"])
  func `a file of another kind stays as it is`(text: String) throws {
    try folder.write(text)
    #expect(throws: RecordFile.Failure.foreign) { try open() }
    #expect(folder.text() == text)
  }

  @Test func `a folder or a pipe is no record`() throws {
    #expect(throws: RecordFile.Failure.system(Errno(rawValue: EISDIR))) {
      try RecordFile.forAppending(at: folder.path, beginningWith: "")
    }
    #expect(unsafe mkfifo(folder.file, 0o600) == 0)
    #expect(throws: RecordFile.Failure.notRegular) { try open() }
  }

  @Test func `a second writer is refused until the first one is gone`() throws {
    var file: RecordFile? = try open()
    #expect(throws: RecordFile.Failure.inUse) { try open() }
    #expect(file?.append(bytes("{\"v\":1}\n")).count == 8)
    file = nil
    #expect(try openAgain().size == 8)
  }

  @Test func `a rotation keeps so many older files`() throws {
    var file = try open()
    for number in 1...5 {
      _ = file.append(bytes("{\"v\":\(number)}\n"))
      file = try file.rotated(keeping: 2)
      #expect(file.size == 0)
      #expect(throws: RecordFile.Failure.inUse) { try open() }
    }
    #expect(
      folder.names == [".history.jsonl.lock", "history.jsonl", "history.jsonl.1", "history.jsonl.2"])
    file.unlock()
    #expect(folder.names == ["history.jsonl", "history.jsonl.1", "history.jsonl.2"])
    #expect(folder.text(".1") == "{\"v\":5}\n")
    #expect(folder.text(".2") == "{\"v\":4}\n")
  }

  private func writeOlder(_ number: Int, _ text: String) throws {
    try text.write(toFile: folder.file + ".\(number)", atomically: false, encoding: .utf8)
  }

  @Test func `a rotation fills a gap of older files before it removes one`() throws {
    for number in [1, 3] { try writeOlder(number, "{\"v\":old\(number)}\n") }
    let file = try open()
    _ = file.append(bytes("{\"v\":0}\n"))
    _ = try file.rotated(keeping: 3)
    #expect(
      [".1", ".2", ".3"].map(folder.text) == ["{\"v\":0}\n", "{\"v\":old1}\n", "{\"v\":old3}\n"])
  }

  @Test func `a rotation neither moves nor removes what is no record`() throws {
    try writeOlder(1, "a letter\n")
    try writeOlder(3, "")
    try FileManager.default.createSymbolicLink(
      atPath: folder.file + ".4", withDestinationPath: folder.file + ".5")
    try writeOlder(5, "{\"v\":old}\n")
    var file = try open()
    for number in 1...3 {
      _ = file.append(bytes("{\"v\":\(number)}\n"))
      file = try file.rotated(keeping: 2)
    }
    #expect(folder.text(".1") == "a letter\n" && folder.text(".3") == "")
    #expect(folder.text(".2") == "{\"v\":3}\n" && folder.text(".5") == "{\"v\":2}\n")
    let target = try FileManager.default.destinationOfSymbolicLink(atPath: folder.file + ".4")
    #expect(target == folder.file + ".5")
  }

  @Test func `a link of this user is followed, and a rotation takes place where it leads`() throws {
    let other = try RecordFolder()
    for path in [folder.path, other.path] {
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
    }
    try FileManager.default.createSymbolicLink(atPath: folder.file, withDestinationPath: other.path + "/a")
    try FileManager.default.createSymbolicLink(atPath: other.path + "/a", withDestinationPath: "b")
    let file = try open()
    #expect(file.path == other.path + "/b")
    _ = file.append(bytes("{\"v\":1}\n"))
    _ = try file.rotated(keeping: 2)
    #expect(folder.names == ["history.jsonl"])
    #expect(other.names == [".b.lock", "a", "b", "b.1"])
    try FileManager.default.removeItem(atPath: other.path + "/a")
    try FileManager.default.createSymbolicLink(atPath: other.path + "/a", withDestinationPath: "a")
    #expect(throws: RecordFile.Failure.system(Errno(rawValue: ELOOP))) { try open() }
  }

  @Test func `a file that was moved, removed, cut or written to is noticed`() throws {
    func file() throws -> RecordFile {
      let file = try openAgain()
      _ = file.append(bytes("{\"v\":1}\n"))
      #expect(file.isUnchanged(from: 8) && !file.isUnchanged(from: 7))
      return file
    }
    var open = try file()
    try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".old")
    #expect(!open.isUnchanged(from: 8))
    try folder.write("{\"v\":2}\n")
    #expect(!open.isUnchanged(from: 8))
    open = try open.reopened(at: folder.file)
    #expect(open.isUnchanged(from: 8))
    #expect(unsafe truncate(folder.file, 0) == 0)
    #expect(!open.isUnchanged(from: 8))
  }
}
#endif
