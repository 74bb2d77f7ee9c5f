// SPDX-License-Identifier: Apache-2.0
import CLibrary
import POSIX

/// The standard streams: data on standard output, messages on standard error, colour only on terminals.
package struct StandardOutput: Sendable {
  /// Whether data goes to a terminal that accepts colour.
  private(set) var isColoured: Bool
  /// Whether data goes to a terminal.
  package let isTerminal: Bool
  /// The characters of text for people.
  package let characters = CharacterRepertoire.ofEnvironment
  /// Whether messages go to a terminal.
  package let isInteractive: Bool
  private var areErrorsColoured: Bool

  /// Prepares the streams; call it once, before anything else is opened.
  package init() {
    Self.occupyStreams()
    // A closed pipe is an error of the write, instead of a signal that ends the process.
    signal(SIGPIPE, SIG_IGN)
    let isDumb = unsafe getenv("TERM").map { unsafe String(cString: $0) } == "dumb"
    let wantsColour = unsafe (getenv("NO_COLOR").map { unsafe $0.pointee == 0 } ?? true) && !isDumb
    isTerminal = isatty(1) == 1
    isInteractive = isatty(2) == 1
    isColoured = wantsColour && isTerminal
    areErrorsColoured = wantsColour && isInteractive
  }

  /// The same streams, with the colours that a user chooses.
  func choosing(_ choice: ColourChoice) -> StandardOutput {
    var output = self
    if choice != .auto {
      (output.isColoured, output.areErrorsColoured) = (choice == .always, choice == .always)
    }
    return output
  }

  /// Occupies the descriptors of closed streams, so that no socket gets one of them and receives data.
  private static func occupyStreams() {
    for stream in CInt(0)...2 where fcntl(stream, F_GETFD) < 0 {
      // Opens the lowest free descriptor in the wrong direction, so that using the stream still fails.
      _ = unsafe open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Returns data text in a colour, if the data goes to a terminal that accepts colour.
  package func coloured(_ text: String, _ colour: TerminalColour) -> String {
    isColoured ? "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m" : text
  }

  /// Writes data without buffering it.
  package func write(_ text: String) -> WriteResult {
    Self.write(text, to: 1)
  }

  /// Writes data without buffering it.
  package func write(_ text: borrowing OutputText) -> WriteResult {
    unsafe text.withBytes { unsafe Self.write($0, to: 1) }
  }

  /// Reports a usage error: its problems, then its hint.
  package func report(_ error: UsageError) {
    for problem in error.problems { report(problem: problem) }
    report(hint: error.hint)
  }

  /// Prints advice.
  package func report(hint: String) { say("hint: \(hint)") }

  package func report(_ error: some Error & CustomStringConvertible) {
    report(problem: error.description)
  }

  /// Reports what is wrong.
  package func report(problem: String) {
    say("error: \(problem.escapedForTerminal)", boldRed: 5)
  }

  /// Returns the exit status after a write, and reports a failed one.
  package func exitStatus(_ result: WriteResult, else status: Int32) -> Int32 {
    guard case .failed(let number) = result else { return status }
    report(problem: "could not write the output: \(Errno(rawValue: number))")
    return ExitStatus.trouble
  }

  /// Writes a message.
  package func say(_ text: String) {
    _ = Self.write(characters.spelling(text) + "\n", to: 2)
  }

  private func say(_ text: String, boldRed length: Int) {
    guard areErrorsColoured, length > 0 else { return say(text) }
    say("\u{1b}[1;31m\(text.prefix(length))\u{1b}[0m\(text.dropFirst(length))")
  }

  /// Whether data can be written without waiting.
  package var isReady: Bool {
    var descriptor = pollfd(fd: 1, events: CShort(POLLOUT), revents: 0)
    return unsafe poll(&descriptor, 1, 0) == 1
  }

  /// Blocks until the reader of the data closes it; returns immediately if the stream cannot report that.
  package func waitUntilClosed() {
    var descriptor = pollfd(fd: 1, events: 0, revents: 0)
    while unsafe poll(&descriptor, 1, -1) < 0, errno == EINTR {}
  }

  /// Blocks as a write would, for a stream that another process has made non-blocking.
  private static func waitUntilWritable(_ descriptor: CInt) {
    var descriptor = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    _ = unsafe poll(&descriptor, 1, -1)
  }

  private static func write(_ text: String, to descriptor: CInt) -> WriteResult {
    var text = text
    return text.withUTF8 { unsafe write($0, to: descriptor) }
  }

  private static func write(_ bytes: UnsafeBufferPointer<UInt8>, to descriptor: CInt) -> WriteResult {
    var done = 0
    while done < bytes.count {
      let rest = unsafe UnsafeBufferPointer(rebasing: bytes[done...])
      let written = unsafe CLibrary.write(descriptor, rest.baseAddress, rest.count)
      if written > 0 {
        done += written
      } else if errno == EAGAIN {
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return errno == EPIPE ? .unread : .failed(errno)
      }
    }
    return .written
  }
}

/// The size of a terminal, in characters.
package struct TerminalSize: Equatable {
  package var columns: Int
  package var rows: Int

  /// The present size of the terminal that receives standard output; `nil` if there is none that reports its width.
  package static var ofOutput: TerminalSize? {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }

  /// The same of a terminal that reports its height, too, and can move its cursor.
  package static var ofScreen: TerminalSize? {
    let type = unsafe getenv("TERM").map { unsafe String(cString: $0) } ?? ""
    return ["", "dumb"].contains(type) ? nil : ofOutput.flatMap { $0.rows > 0 ? $0 : nil }
  }
}

/// The result of writing data to a stream.
package enum WriteResult: Equatable {
  case written
  /// The stream has no reader any more.
  case unread
  /// Writing failed; the value is the error number.
  case failed(CInt)
}
