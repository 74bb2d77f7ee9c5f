import Reachability

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The two streams: data on one, the rest on the other, colour only where a person looks.
struct StandardOutput: Sendable {
  /// Whether data goes to a terminal that wants colour.
  let isColoured: Bool
  /// Whether a person sees the messages.
  let isInteractive: Bool
  private let areErrorsColoured: Bool

  init() {
    // A reader who goes away is told by the write, not by a signal that kills.
    signal(SIGPIPE, SIG_IGN)
    let wantsColour = unsafe (getenv("NO_COLOR").map { unsafe $0.pointee == 0 } ?? true)
    isInteractive = isatty(2) == 1
    isColoured = wantsColour && isatty(1) == 1
    areErrorsColoured = wantsColour && isInteractive
  }

  /// Writes data at once; returns whether somebody still reads it.
  @discardableResult
  func write(_ text: String) -> Bool {
    Self.write(text, to: 1)
  }

  /// Says what is wrong and what is accepted.
  func report(_ error: UsageError) {
    for problem in error.problems { say("error: \(problem)", boldRed: 5) }
    say("hint: \(error.hint)", boldRed: 0)
  }

  /// Says what failed.
  func report(_ error: some Error & CustomStringConvertible) {
    say("error: \(error.description.escapedForTerminal)", boldRed: 5)
  }

  /// Writes a message of progress.
  func say(_ text: String) {
    _ = Self.write(text + "\n", to: 2)
  }

  private func say(_ text: String, boldRed length: Int) {
    guard areErrorsColoured, length > 0 else { return say(text) }
    say("\u{1b}[1;31m\(text.prefix(length))\u{1b}[0m\(text.dropFirst(length))")
  }

  /// Blocks until nobody reads the data any more; returns at once if that can't be told.
  func waitUntilClosed() {
    var descriptor = pollfd(fd: 1, events: 0, revents: 0)
    while unsafe poll(&descriptor, 1, -1) < 0, errno == EINTR {}
  }

  private static func write(_ text: String, to descriptor: CInt) -> Bool {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = unsafe bytes.withUnsafeBytes { unsafe writeBytes(descriptor, $0) }
      if written > 0 {
        bytes.removeFirst(written)
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}

/// Outside of the type, where `write` is the C library's.
private func writeBytes(_ descriptor: CInt, _ bytes: UnsafeRawBufferPointer) -> Int {
  unsafe write(descriptor, bytes.baseAddress, bytes.count)
}

/// Ends the process.
func exitProcess(_ status: Int32) -> Never {
  exit(status)
}
