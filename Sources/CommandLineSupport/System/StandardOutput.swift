#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// What became of data that was written.
package enum WriteResult: Equatable {
  case written
  /// Nobody reads it any more.
  case unread
  /// It can't be written; the error number.
  case failed(CInt)
}

/// The two streams: data on one, the rest on the other, colour only where a person looks.
package struct StandardOutput: Sendable {
  /// Whether data goes to a terminal that wants colour.
  package let isColoured: Bool
  /// Whether a person sees the messages.
  package let isInteractive: Bool
  private let areErrorsColoured: Bool

  /// Readies the streams, to be called once and before anything else is opened.
  package init() {
    Self.occupyStreams()
    // A reader who goes away is told by the write, not by a signal that kills.
    signal(SIGPIPE, SIG_IGN)
    let wantsColour = unsafe (getenv("NO_COLOR").map { unsafe $0.pointee == 0 } ?? true)
    isInteractive = isatty(2) == 1
    isColoured = wantsColour && isatty(1) == 1
    areErrorsColoured = wantsColour && isInteractive
  }

  /// Takes the numbers of streams that are closed, lest a socket gets one and data is written to it.
  private static func occupyStreams() {
    for stream in CInt(0)...2 where fcntl(stream, F_GETFD) < 0 {
      // The lowest free number; opened the wrong way round, so that using it still fails.
      _ = unsafe open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes data at once; returns what became of it.
  package func write(_ text: String) -> WriteResult {
    Self.write(text, to: 1)
  }

  /// Says what is wrong and what is accepted.
  package func report(_ error: UsageError) {
    for problem in error.problems { say("error: \(problem.escapedForTerminal)", boldRed: 5) }
    say("hint: \(error.hint)", boldRed: 0)
  }

  /// Says what failed.
  package func report(_ error: some Error & CustomStringConvertible) {
    say("error: \(error.description.escapedForTerminal)", boldRed: 5)
  }

  /// Turns a result into an exit status, and says what failed.
  package func exitStatus(_ result: WriteResult, else status: Int32) -> Int32 {
    guard case .failed(let error) = result else { return status }
    let text = unsafe strerror(error).map { text in unsafe String(cString: text) } ?? "error \(error)"
    say("error: could not write the output: \(text)", boldRed: 5)
    return ExitStatus.trouble
  }

  /// Writes a message of progress.
  package func say(_ text: String) {
    _ = Self.write(text + "\n", to: 2)
  }

  private func say(_ text: String, boldRed length: Int) {
    guard areErrorsColoured, length > 0 else { return say(text) }
    say("\u{1b}[1;31m\(text.prefix(length))\u{1b}[0m\(text.dropFirst(length))")
  }

  /// Blocks until nobody reads the data any more; returns at once if that can't be told.
  package func waitUntilClosed() {
    var descriptor = pollfd(fd: 1, events: 0, revents: 0)
    while unsafe poll(&descriptor, 1, -1) < 0, errno == EINTR {}
  }

  /// Blocks as a write would where the other user of the stream made it return at once.
  private static func waitUntilWritable(_ descriptor: CInt) {
    var descriptor = pollfd(fd: descriptor, events: CShort(POLLOUT), revents: 0)
    _ = unsafe poll(&descriptor, 1, -1)
  }

  private static func write(_ text: String, to descriptor: CInt) -> WriteResult {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0) }
      if written > 0 {
        bytes.removeFirst(written)
      } else if errno == EAGAIN {
        waitUntilWritable(descriptor)
      } else if errno != EINTR {
        return errno == EPIPE ? .unread : .failed(errno)
      }
    }
    return .written
  }
}

/// Outside of the type, where `write` is the C library's.
private func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Ends the process.
package func exitProcess(_ status: Int32) -> Never {
  exit(status)
}

/// Ends the process at once, whatever its other threads do.
///
/// For who has made requests: what libraries do at an exit would take from threads that still run what they use. All that was to be
/// written is written.
package func exitProcessAtOnce(_ status: Int32) -> Never {
  _exit(status)
}
