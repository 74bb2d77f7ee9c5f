// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import Testing

@testable import ReachabilityKit

/// Noticed changes to files; the kernel reports each before the call that makes it returns.
@Suite(.deadline) struct FileWatchTests {
  /// An event of the kernel: the number of the watch, a mask, a cookie, the length of the name, and the name.
  private static func event(_ name: String, length: UInt32) -> [UInt8] {
    // IN_CREATE
    let numbers: [UInt32] = [1, 0x100, 0, length]
    let head = numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } }
    return head + Array(name.utf8) + [UInt8](repeating: 0, count: 16 - name.utf8.count)
  }

  @Test func `an event is read to its end, and one without its end may concern any file`() {
    for (name, length, isRelevant) in [("other", 16, false), ("file", 16, true), ("other", 17, true)]
      as [(String, UInt32, Bool)]
    {
      let bytes = Self.event(name, length: length)
      let found = FileWatch.scan(RawSpan(_elements: bytes.span), before: bytes.count, [1: ["file"]])
      #expect(found.isRelevant == isRelevant && found.writes == 0, "\(name)")
    }
  }

  @Test func `files without a watch do not change`() {
    var files = WatchedFiles([])
    let change = files.readChange()
    #expect(change == FileWatch.Change())
  }

  @Test(arguments: FileChange.noticed)
  func `a change is noticed once`(change: FileChange) throws {
    let folder = try Folder()
    try change.prepare(folder)
    let watch = try folder.watch("file")
    #expect(!watch.readChange())
    try change.make(folder)
    #expect(watch.readChange())
    #expect(!watch.readChange())
  }

  @Test(arguments: FileChange.noticed)
  func `a change after another one is noticed too`(change: FileChange) throws {
    let folder = try Folder()
    try change.prepare(folder)
    let watch = try folder.watch("file")
    try change.make(folder)
    #expect(watch.readChange())
    try folder.shell("rm -rf file; echo anew > file")
    #expect(watch.readChange())
    try folder.shell("echo 'anew and longer' > next; mv next file")
    #expect(watch.readChange())
    #expect(!watch.readChange())
  }

  @Test func `a file that appears in a folder, is replaced or removed is a change of the folder only`() throws
  {
    let folder = try Folder()
    let watch = try folder.watch("file", folder: "run/links")
    let changes = [
      "mkdir -p run/links", "echo 1 > run/links/.temporary; mv run/links/.temporary run/links/2",
      "echo 2 > run/links/2", "rm run/links/2", "rm -r run",
    ]
    for change in changes {
      #expect(!watch.readFolderChange(), "before \(change)")
      try folder.shell(change)
      #expect(watch.readFolderChange(), "\(change)")
    }
    try folder.shell("mkdir -p run/links; echo 1 > run/links/2")
    #expect(!watch.readChange())
    try folder.shell("echo 1 > run/links/.temporary")
    #expect(!watch.readFolderChange())
  }

  @Test(arguments: FileChange.unnoticed)
  func `an operation that does not change the file is not noticed`(change: FileChange) throws {
    let folder = try Folder()
    try change.prepare(folder)
    let watch = try folder.watch("file")
    try change.make(folder)
    #expect(!watch.readChange())
  }

  @Test func `each of several watched files counts`() throws {
    let folder = try Folder()
    let watch = try folder.watch("file", "deep/other", "third")
    for command in ["echo 1 > file", "mkdir deep", "echo 1 > deep/other", "echo 1 > third", "rm file"] {
      try folder.shell(command)
      // A directory alone is no file yet.
      #expect(watch.readChange() == (command != "mkdir deep"), "\(command)")
    }
  }

  @Test func `texts of equal length in quick succession are distinguished`() throws {
    let folder = try Folder()
    try folder.shell("echo 0 > file")
    let watch = try folder.watch("file")
    let file = try #require(FileHandle(forWritingAtPath: folder.path("file")))
    for number in 0..<200 {
      try file.seek(toOffset: 0)
      try file.write(contentsOf: Data("\(number % 10)\n".utf8))
      #expect(watch.readChange(), "\(number)")
    }
  }

  @Test func `only the version of a file that was just written may have the times of the next one`() throws {
    let folder = try Folder()
    // An hour ahead, so that it stays new on a machine that has no time for this test.
    try folder.shell("echo 1 > new; echo 1 > old; touch -d '1 hour' new; touch -d '1 minute ago' old")
    #expect(FileVersion(of: folder.path("new"))?.isSettled == false)
    #expect(FileVersion(of: folder.path("old"))?.isSettled == true)
  }

  @Test func `a change among more events than the kernel queues is noticed`() throws {
    let folder = try Folder()
    try folder.shell("echo 1 > file; echo 1 > a")
    let watch = try folder.watch("file")
    let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
    let count = try #require(Int(limit.filter(\.isNumber)))
    // Each rename is two events.
    for _ in 0...min(count, 100_000) / 4 {
      unsafe rename(folder.path("a"), folder.path("b"))
      unsafe rename(folder.path("b"), folder.path("a"))
    }
    #expect(!watch.readChange())
    for _ in 0...min(count, 100_000) / 4 {
      unsafe rename(folder.path("a"), folder.path("b"))
      unsafe rename(folder.path("b"), folder.path("a"))
    }
    try folder.shell("echo 'something else' > new; mv new file")
    #expect(watch.readChange())
    try folder.shell("rm file")
    #expect(watch.readChange())
  }

  // By default, the kernel grants one user 128 inotify instances.
  @Test func `a watch closes its descriptors`() throws {
    let folder = try Folder()
    for _ in 0..<200 { _ = try folder.watch("file") }
  }
}

/// A folder for one test.
final class Folder {
  /// The system has no watches left.
  struct NoWatch: Error {}

  let root: String

  init() throws {
    root = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID())").path
    try FileManager.default.createDirectory(atPath: root, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: root) }

  /// Starts to watch files, which need not exist.
  func watch(_ names: String..., folder: String? = nil) throws -> HeldWatch {
    guard let watch = FileWatch(names.map(path), folder: folder.map(path)) else { throw NoWatch() }
    return HeldWatch(watch)
  }

  func path(_ name: String) -> String { "\(root)/\(name)" }

  func shell(_ command: String) throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-ec", command]
    process.currentDirectoryURL = URL(filePath: root)
    try process.run()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(command)")
  }
}

/// A class around a watch, which is not copyable, for use in expectations.
final class HeldWatch {
  private var watch: FileWatch

  init(_ watch: consuming FileWatch) { self.watch = watch }

  func readChange() -> Bool { watch.readChange().files }

  func readFolderChange() -> Bool { watch.readChange().folder }
}

/// An operation in a folder whose `file` is watched.
struct FileChange: CustomTestStringConvertible, Sendable {
  var testDescription: String
  private var before: String
  private var command: String

  init(_ name: String, _ before: String, _ command: String) {
    testDescription = name
    self.before = before
    self.command = command
  }

  func prepare(_ folder: Folder) throws { try folder.shell(before) }

  func make(_ folder: Folder) throws { try folder.shell(command) }

  static let noticed = [
    Self("written in place", "echo 1 > file", "echo 22 > file"),
    Self("written in place, as long as before", "echo 1 > file", "echo 2 > file"),
    Self("appended to", "echo 1 > file", "echo 2 >> file"),
    Self("emptied", "echo 1 > file", ": > file"),
    Self("replaced by rename", "echo 1 > file; echo 1 > new", "mv new file"),
    Self("removed", "echo 1 > file", "rm file"),
    Self("renamed away", "echo 1 > file", "mv file old"),
    Self("made", ":", "echo 1 > file"),
    Self("made by rename", "echo 1 > new", "mv new file"),
    Self("made by a hard link", "echo 1 > other", "ln other file"),
    Self("removed and made again", "echo 1 > file", "rm file; echo 1 > keep; echo 1 > file"),
    Self("a file's link switched", "echo 1 > a; echo 1 > b; ln -s a file", "ln -s b new; mv -T new file"),
    Self("a file's link removed and made", "echo 1 > a; echo 1 > b; ln -s a file", "rm file; ln -s b file"),
    Self("a file becomes a link", "echo 1 > a; echo 1 > file", "ln -sfn a file"),
    Self("a link becomes a file", "echo 1 > a; ln -s a file", "rm file; echo 1 > file"),
    Self("a link's target written", "mkdir d; echo 1 > d/a; ln -s d/a file", "echo 2 > d/a"),
    Self("a link's target replaced", "mkdir d; echo 1 > d/a; ln -s d/a file", "echo 2 > d/n; mv d/n d/a"),
    Self("a link's target removed", "mkdir d; echo 1 > d/a; ln -s d/a file", "rm d/a"),
    Self("a link's target made", "mkdir d; ln -s d/a file", "echo 1 > d/a"),
    Self(
      "an absolute link's target replaced", "mkdir d; echo 1 > d/a; ln -s $PWD/d/a file",
      "echo 2 > d/n; mv d/n d/a"),
    Self("an absolute link's target made", "mkdir d; ln -s $PWD/d/a file", "echo 1 > d/a"),
    Self("a link upwards", "mkdir -p d/e; echo 1 > a; ln -s d/e/../../a file", "echo 2 > n; mv n a"),
    Self(
      "the middle of a chain of links switched",
      "mkdir d e; echo 1 > e/a; echo 1 > e/b; ln -s ../e/a d/l; ln -s d/l file", "ln -sfn ../e/b d/l"),
    Self(
      "the end of a chain of links replaced",
      "mkdir d e; echo 1 > e/a; ln -s ../e/a d/l; ln -s d/l m; ln -s m file", "echo 1 > e/n; mv e/n e/a"),
    Self(
      "a linked directory on the way switched",
      "mkdir v1 v2; echo 1 > v1/a; echo 1 > v2/a; ln -s v1 data; ln -s data/a file",
      "ln -s v2 new; mv -T new data"),
    Self(
      "a directory on the way replaced",
      "mkdir -p d/e n/e; echo 1 > d/e/a; echo 1 > n/e/a; ln -s d/e/a file", "mv d old; mv n d"),
    Self("a directory on the way removed", "mkdir -p d/e; echo 1 > d/e/a; ln -s d/e/a file", "rm -r d"),
    Self("missing directories made with the file", "ln -s d/e/a file", "mkdir -p d/e; echo 1 > d/e/a"),
    Self(
      "missing directories moved there with the file", "mkdir -p n/e; echo 1 > n/e/a; ln -s d/e/a file",
      "mv n d"),
    Self("its rights changed", "echo 1 > file", "chmod 600 file"),
    Self("an endless link becomes a file", "ln -s file file", "rm file; echo 1 > file"),
    Self("two endless links become one file", "ln -s b file; ln -s file b", "rm b; echo 1 > b"),
  ]

  static let unnoticed = [
    Self("nothing", "echo 1 > file", ":"),
    Self("read", "echo 1 > file", "cat file > /dev/null"),
    Self("another file written", "echo 1 > file; echo 1 > other", "echo 2 > other"),
    Self("another file made, renamed and removed", "echo 1 > file", "echo 2 > a; mv a files; rm files"),
    Self(
      "another file of a link's directory", "mkdir d; echo 1 > d/a; ln -s d/a file", "echo 1 > d/b; rm d/b"),
    Self("a missing file that is still missing", ":", "echo 1 > other"),
    Self("made and removed", ":", "echo 1 > file; rm file"),
    Self("a directory on the way to a file that is still missing", "ln -s d/e/a file", "mkdir -p d/e"),
    Self("an endless link", "ln -s file file", "echo 1 > other"),
    Self("renamed and back", "echo 1 > other; ln -s other file", "mv file tmp; mv tmp file"),
  ]
}
#endif
