// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// The start of a process from the calling thread, and so in the thread's network.
package struct Spawn: Sendable {
  package var words: [String]
  package var environment: [String]
  /// The standard input; `nil` stands for an empty one.
  package var input: Int32?
  /// The standard output; `nil` discards it.
  package var output: Int32?
  /// The standard error; `nil` discards it.
  package var errors: Int32?

  package init(
    words: [String], environment: [String], input: Int32? = nil, output: Int32? = nil, errors: Int32? = nil
  ) {
    self.words = words
    self.environment = environment
    self.input = input
    self.output = output
    self.errors = errors
  }

  /// Starts the process, and returns its ID.
  package func callAsFunction() throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (stream, descriptor) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, errors)] {
      if let descriptor {
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, stream)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0)
      }
    }
    // The command inherits its streams only, none of this process's other descriptors.
    for number in STDERR_FILENO + 1..<256 { unsafe posix_spawn_file_actions_addclose(&actions, number) }

    // Dispatch's threads block signals, and this process may ignore some. A command started by a shell has neither.
    var attributes = posix_spawnattr_t()
    var signals = sigset_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    for signal in [SIGINT, SIGPIPE, SIGTERM, SIGTSTP] { unsafe sigaddset(&signals, signal) }
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

    let arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    let variables = unsafe environment.map { unsafe strdup($0) } + [nil]
    defer { unsafe (arguments + variables).forEach { unsafe free($0) } }
    var child: pid_t = 0
    let error = unsafe posix_spawn(&child, words[0], &actions, &attributes, arguments, variables)
    guard error == 0 else { throw CommandError("start \(words[0]): error \(error)") }
    return child
  }
}
#endif
