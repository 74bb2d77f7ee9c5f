// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// The reading end of one of the command's streams, a pipe or a terminal, with the data received so far.
package final class Channel {
  /// The command's end of the stream; closed in this process once the command has it.
  private(set) var writingEnd: Int32 = -1
  /// The reading end, or -1 when it is closed or has no writer any more.
  private(set) var descriptor: Int32 = -1
  private var bytes: [UInt8] = []
  private var lineStart = 0

  package init(isTerminal: Bool) throws {
    if isTerminal { try openTerminal() } else { try openPipe() }
  }

  /// Sets the size of the terminal; a new one has none.
  package func resize(columns: Int, rows: Int) {
    var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
    _ = unsafe ioctl(descriptor, UInt(TIOCSWINSZ), &size)
  }

  deinit {
    closeWritingEnd()
    close()
  }

  package var isOpen: Bool { descriptor >= 0 }

  /// All data received.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Types a text on the terminal.
  package func type(_ text: String) {
    var text = text
    _ = text.withUTF8 { unsafe write(descriptor, $0.baseAddress, $0.count) }
  }

  /// The number of unread bytes in the pipe.
  package var waiting: Int {
    var count: Int32 = 0
    _ = unsafe ioctl(descriptor, UInt(FIONREAD), &count)
    return Int(count)
  }

  /// The capacity of the pipe in bytes.
  package var capacity: Int { Int(fcntl(descriptor, Self.getPipeSize)) }

  /// Reads the available data; waits only if there is none.
  package func take() {
    let chunk = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
      count = unsafe max(read(descriptor, buffer.baseAddress, 65536), 0)
    }
    bytes += chunk
    // A pipe ends with an empty read, a terminal with an error.
    if chunk.isEmpty { close() }
  }

  /// Returns the next complete line without its line feed, or `nil` if there is none yet.
  package func takeLine() -> String? {
    guard let end = bytes[lineStart...].firstIndex(of: UInt8(ascii: "\n")) else { return nil }
    defer { lineStart = end + 1 }
    return String(decoding: bytes[lineStart..<end], as: UTF8.self)
  }

  package func close() {
    if descriptor >= 0 { _ = Foundation.close(descriptor) }
    descriptor = -1
  }

  package func closeWritingEnd() {
    if writingEnd >= 0 { _ = Foundation.close(writingEnd) }
    writingEnd = -1
  }

  // Every descriptor is opened with O_CLOEXEC, since a command that another test starts concurrently would keep it
  // open. `pipe` and `openpty` cannot do that.

  private func openPipe() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "pipe-\(UUID())").path
    guard unsafe mkfifo(path, 0o600) == 0 else { throw CommandError("mkfifo \(path): error \(errno)") }
    defer { unsafe unlink(path) }
    descriptor = unsafe open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
    writingEnd = unsafe open(path, O_WRONLY | O_CLOEXEC)
    guard writingEnd >= 0 else { throw CommandError("open \(path): error \(errno)") }
  }

  private func openTerminal() throws {
    var number: Int32 = 0
    var isLocked: Int32 = 0
    descriptor = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    guard descriptor >= 0, unsafe ioctl(descriptor, Self.lockTerminal, &isLocked) == 0,
      unsafe ioctl(descriptor, Self.getTerminalNumber, &number) == 0
    else { throw CommandError("no pseudo-terminal: error \(errno)") }
    writingEnd = unsafe open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
    var modes = termios()
    guard writingEnd >= 0, unsafe tcgetattr(writingEnd, &modes) == 0 else {
      throw CommandError("no terminal: error \(errno)")
    }
    // Output arrives unchanged, without added carriage returns.
    modes.c_oflag &= ~tcflag_t(OPOST)
    guard unsafe tcsetattr(writingEnd, TCSANOW, &modes) == 0 else {
      throw CommandError("no raw terminal: error \(errno)")
    }
  }

  // TIOCSPTLCK, TIOCGPTN and F_GETPIPE_SZ, which Swift does not import.
  private static let lockTerminal: UInt = 0x4004_5431
  private static let getTerminalNumber: UInt = 0x8004_5430
  private static let getPipeSize: Int32 = 1032
}
#endif
