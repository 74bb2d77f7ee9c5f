// SPDX-License-Identifier: Apache-2.0
import CLibrary

#if os(Linux)
import CPOSIX
#endif

/// The process that runs the command.
package enum CurrentProcess {
  /// Whether standard input is a terminal.
  package static var hasTerminal: Bool { isatty(STDIN_FILENO) == 1 }

  /// Whether the terminal of standard output serves another job of its shell.
  package static var isInBackground: Bool {
    let group = tcgetpgrp(STDOUT_FILENO)
    return group > 0 && group != getpgrp()
  }

  /// The program's name and its arguments.
  ///
  /// On Linux these are known even without `/proc`, where `CommandLine.arguments` is empty.
  package static var arguments: [Argument] {
    #if os(Linux)
    if var next = unsafe cposix_arguments() {
      var arguments: [Argument] = []
      while let argument = unsafe next.pointee {
        unsafe arguments.append(Argument(argument))
        unsafe next += 1
      }
      return arguments
    }
    #endif
    return CommandLine.arguments.map { Argument($0) }
  }

  /// Ends the process.
  package static func exit(_ status: Int32) -> Never {
    CLibrary.exit(status)
  }

  /// Ends the process without the C library's exit handlers.
  ///
  /// A command that has made requests needs it: libraries free objects in exit handlers that running threads still use.
  /// All output is written by then.
  package static func exitImmediately(_ status: Int32) -> Never {
    _exit(status)
  }
}

/// The signals that request the end of a process.
enum Termination {
  /// Calls a handler on `SIGINT` or `SIGTERM`, which then do not end the process.
  ///
  /// Call it before other threads exist, because they must block these signals too. It replaces Dispatch's signal
  /// sources, which are registered after a delay and lose a signal that arrives before.
  ///
  /// - Parameters:
  ///   - hangUp: What `SIGHUP` requests in place of the end, unless the terminal of this process is gone; `nil` if it
  ///     ends the process as before.
  ///   - suspension: What the process does around a suspension by `SIGTSTP`, unless its parent ignores the signal.
  ///   - start: Starts a thread. If it throws, the signals end the process as before.
  ///   - handler: The handler, called on that thread.
  static func handle<Failure: Error>(
    hangUp: (@Sendable () -> Void)? = nil, suspension: Suspension? = nil,
    startingThread start: (@escaping @Sendable () -> Void) throws(Failure) -> Void,
    _ handler: @escaping @Sendable () -> Void
  ) throws(Failure) {
    var (signals, before) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&signals)
    unsafe sigaddset(&signals, SIGINT)
    unsafe sigaddset(&signals, SIGTERM)
    if hangUp != nil { unsafe sigaddset(&signals, SIGHUP) }
    if suspension != nil, !Suspension.isIgnored { unsafe sigaddset(&signals, SIGTSTP) }
    // Blocked before the thread starts, since a signal in between would end the process.
    unsafe pthread_sigmask(SIG_BLOCK, &signals, &before)
    let awaited = signals
    let terminals = [STDIN_FILENO, STDERR_FILENO].filter { isatty($0) == 1 }
    do throws(Failure) {
      try start {
        var signals = awaited
        var number: CInt = 0
        while true {
          while unsafe sigwait(&signals, &number) != 0 {}
          if number == SIGTSTP {
            suspension?.perform()
            continue
          }
          let isGone = !terminals.isEmpty && terminals.allSatisfy { isatty($0) == 0 }
          guard number == SIGHUP, !isGone else { break }
          hangUp?()
        }
        handler()
      }
    } catch {
      unsafe pthread_sigmask(SIG_SETMASK, &before, nil)
      throw error
    }
  }
}
