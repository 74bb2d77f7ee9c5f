// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// What a command does when Ctrl-Z stops it, by `SIGTSTP`, and when it continues.
package struct Suspension: Sendable {
  private let stop: @Sendable () -> Void
  private let resume: @Sendable () -> Void

  /// - Parameters:
  ///   - stop: Prepares the terminal for the shell.
  ///   - resume: Continues, in the foreground or in the background.
  package init(stop: @escaping @Sendable () -> Void, resume: @escaping @Sendable () -> Void) {
    self.stop = stop
    self.resume = resume
  }

  /// Whether the parent ignores the signal for its children; then they ignore it, too.
  static var isIgnored: Bool {
    let before = signal(SIGTSTP, SIG_DFL)
    guard unsafe unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) else {
      return false
    }
    signal(SIGTSTP, SIG_IGN)
    return true
  }

  /// Stops the process, on a thread that blocks the signal, and returns when it continues.
  ///
  /// The signal's default action tells the shell the right reason. It stops no process whose group has no shell.
  func perform() {
    stop()
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGTSTP)
    raise(SIGTSTP)
    unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
    resume()
  }
}
