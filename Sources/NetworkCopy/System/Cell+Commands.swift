// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import POSIX

extension Cell {
  /// Runs a command without input, and passes on its output and errors in the order in which they arrive.
  ///
  /// - Parameter limit: The number of bytes that are passed on; the rest is read, and left out.
  package func run(
    _ words: [String], in folder: String, timeout: Duration, outputLimit limit: Int,
    output: (ArraySlice<UInt8>) -> Void
  ) throws(CellFailure) -> CommandEnd {
    let (reading, writing) = try Cell.openPipe()
    let nothing = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
    defer { for descriptor in [reading, nothing] { _ = close(descriptor) } }
    var isOpen = true
    defer { if isOpen { _ = close(writing) } }
    guard nothing >= 0 else { throw CellFailure("open /dev/null", .last) }
    var room = limit
    var buffer = [UInt8](repeating: 0, count: 16384)
    // Reads what there is; returns whether there was anything.
    func relay(_ milliseconds: CInt) -> Bool {
      var wanted = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
      guard unsafe poll(&wanted, 1, milliseconds) > 0 else { return false }
      let count = Pipe.read(reading, into: &buffer)
      guard count > 0 else { return false }
      if room > 0 { output(buffer[..<min(count, room)]) }
      room -= count
      return true
    }
    let end = try run(words, in: folder, streams: [nothing, writing, writing], timeout: timeout) {
      _ = relay($0)
    }
    _ = close(writing)
    isOpen = false
    // What it wrote last. Processes that it left behind may go on writing.
    for _ in 0..<1024 where !relay(0) { break }
    return end
  }

  /// Runs a command on a terminal of its own, which shows on that of this process, until the command ends.
  package func runOnTerminal(_ words: [String], in folder: String) throws(CellFailure) -> CommandEnd {
    var saved = termios()
    guard unsafe tcgetattr(0, &saved) == 0 else {
      throw CellFailure("use standard input as a terminal", .last)
    }
    let main = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard main >= 0 else { throw CellFailure("open a terminal", .last) }
    defer { _ = close(main) }
    var name = [CChar](repeating: 0, count: 64)
    guard cns_unlock_terminal(main) == 0, unsafe ptsname_r(main, &name, name.count) == 0 else {
      throw CellFailure("open a terminal", .last)
    }
    let other = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard other >= 0 else { throw CellFailure("open a terminal", .last) }
    defer { _ = close(other) }
    var size = winsize()
    if unsafe cns_get_size(0, &size) == 0 { _ = unsafe cns_set_size(main, &size) }
    var raw = saved
    unsafe cfmakeraw(&raw)
    unsafe tcsetattr(0, TCSANOW, &raw)
    defer { unsafe tcsetattr(0, TCSANOW, &saved) }
    var buffer = [UInt8](repeating: 0, count: 4096)
    func copy(from source: CInt, to target: CInt) {
      let count = Pipe.read(source, into: &buffer)
      guard count > 0 else { return }
      _ = unsafe write(target, buffer, count)
    }
    return try run(words, in: folder, streams: [other, other, other], hasTerminal: true, timeout: nil) {
      milliseconds in
      var wanted: [2 of pollfd] = [
        pollfd(fd: 0, events: Int16(POLLIN), revents: 0), pollfd(fd: main, events: Int16(POLLIN), revents: 0),
      ]
      var span = wanted.mutableSpan
      _ = unsafe span.withUnsafeMutableBufferPointer { unsafe poll($0.baseAddress, 2, milliseconds) }
      if wanted[0].revents != 0 { copy(from: 0, to: main) }
      if wanted[1].revents != 0 { copy(from: main, to: 1) }
    }
  }
}

/// The working folder of this process.
package enum WorkingFolder {
  package static var current: String {
    var bytes = [CChar](repeating: 0, count: 4097)
    guard unsafe getcwd(&bytes, 4096) != nil else { return "/" }
    return String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// The program that runs as a cell.
package enum HelperProgram {
  /// Its path: this program itself, or one in its folder or in `PATH`; `nil` if there is none.
  package static var path: String? { InstalledProgram.path(of: "reachability-rehearse") }

  /// What helps against a failure to make a cell; `nil` if that is not known.
  package static func hint(for failure: CellFailure) -> String? {
    guard failure.text.hasPrefix("could not make") || failure.text.hasPrefix("could not map") else {
      return nil
    }
    for (path, forbidding) in [
      ("kernel/apparmor_restrict_unprivileged_userns", "1"), ("kernel/unprivileged_userns_clone", "0"),
      ("user/max_user_namespaces", "0"),
    ] {
      if SystemFile.line(of: "/proc/sys/" + path, upTo: 16) == forbidding {
        return
          "/proc/sys/\(path) is \(forbidding): this system refuses user namespaces to ordinary users; run it as root"
      }
    }
    return nil
  }
}
