// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// Other programs, which this process starts and waits for.
package enum ChildProcess {
  /// Starts a program without blocked signals, and with the usual effect of `SIGPIPE`, even if it is ignored here.
  ///
  /// - Parameters:
  ///   - words: The arguments, of which the first one is the program's name.
  ///   - path: The path of the program; `nil` to look up its name in `PATH`.
  ///   - streams: Descriptors of this process, and the number that each has in the program.
  ///   - hasEnvironment: Whether the program has the environment of this process, or none.
  package static func start(
    _ words: [String], at path: String? = nil, streams: KeyValuePairs<CInt, CInt>, hasEnvironment: Bool = true
  ) throws(Errno) -> pid_t {
    let vector = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // Both hold pointers with musl, the first with glibc.
    var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (own, number) in streams { unsafe posix_spawn_file_actions_adddup2(&actions, own, number) }
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var (defaults, mask) = (sigset_t(), sigset_t())
    unsafe sigemptyset(&mask)
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setsigmask(&attributes, &mask)
    let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    unsafe posix_spawnattr_setflags(&attributes, Int16(flags))
    var child: pid_t = 0
    var nothing: UnsafeMutablePointer<CChar>? = nil
    let error = unsafe withUnsafeMutablePointer(to: &nothing) { nothing in
      let variables = unsafe hasEnvironment ? environ : nothing
      let spawn = unsafe path == nil ? posix_spawnp : posix_spawn
      return unsafe spawn(&child, path ?? words[0], &actions, &attributes, vector, variables)
    }
    guard error == 0 else { throw Errno(rawValue: error) }
    return child
  }

  /// Waits for the end of a program, and returns its status as `waitpid(2)` has it.
  @discardableResult
  package static func status(atEndOf child: pid_t) -> CInt {
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    return status
  }
}

/// A pipe between two processes.
package enum Pipe {
  /// Opens a pipe; programs that are executed do not inherit its ends.
  package static func open() throws(Errno) -> (reading: CInt, writing: CInt) {
    var ends: [2 of CInt] = [-1, -1]
    var span = ends.mutableSpan
    guard unsafe span.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 else {
      throw .last
    }
    for end in [ends[0], ends[1]] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    return (ends[0], ends[1])
  }

  /// Reads what there is, again after a signal; returns the number of bytes, as `read(2)` does.
  package static func read(_ descriptor: CInt, into buffer: inout [UInt8]) -> Int {
    while true {
      let count = unsafe CLibrary.read(descriptor, &buffer, buffer.count)
      if count >= 0 || errno != EINTR { return count }
    }
  }
}
