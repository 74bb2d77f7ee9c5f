#if os(Linux)
import DeadlineSupport
import Foundation
import POSIX
import RequirementSupport
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
      do { return try open() } catch RecordFile.Failure.inUse where ContinuousClock.now < deadline {
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
    #expect(folder.names == ["history.jsonl", "history.jsonl.1", "history.jsonl.2"])
    #expect(folder.text(".1") == "{\"v\":5}\n")
    #expect(folder.text(".2") == "{\"v\":4}\n")
  }

  @Test func `a rotation fills a gap of older files before it removes one`() throws {
    for number in [1, 3] {
      try "old \(number)".write(toFile: folder.file + ".\(number)", atomically: false, encoding: .utf8)
    }
    let file = try open()
    _ = file.append(bytes("{\"v\":0}\n"))
    _ = try file.rotated(keeping: 3)
    #expect([".1", ".2", ".3"].map(folder.text) == ["{\"v\":0}\n", "old 1", "old 3"])
  }

  @Test func `a file that was moved or removed is noticed`() throws {
    let file = try open()
    #expect(file.isInPlace)
    try FileManager.default.moveItem(atPath: folder.file, toPath: folder.file + ".old")
    #expect(!file.isInPlace)
    try folder.write("")
    #expect(!file.isInPlace)
  }
}
#endif
