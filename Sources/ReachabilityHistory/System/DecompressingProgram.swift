import CLibrary
import POSIX

/// A running program that decompresses a file: `gzip`, `xz` or `zstd`.
final class DecompressingProgram {
  /// The end of a pipe from which its output is read, and that its reader closes.
  let output: CInt
  private var child: pid_t?

  /// Starts the program, which it looks up in `PATH`, with a file as its standard input.
  ///
  /// Secure execution refuses this with `EPERM`, since the caller chose `PATH`.
  init(_ name: String, reading input: CInt) throws(RecordReadError) {
    guard !ProcessIdentity.isInSecureExecution else {
      throw .program(name, Errno(rawValue: EPERM))
    }
    var ends: [2 of CInt] = [-1, -1]
    var span = ends.mutableSpan
    guard unsafe span.withUnsafeMutableBufferPointer({ unsafe pipe($0.baseAddress) }) == 0 else {
      throw .system(.last)
    }
    let (reading, writing) = (ends[0], ends[1])
    for end in [reading, writing] { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    defer { _ = close(writing) }
    let error: CInt
    (child, error) = Self.start([name, "-dc"], input, writing)
    guard error == 0 else {
      _ = close(reading)
      throw .program(name, Errno(rawValue: error))
    }
    output = reading
  }

  /// Waits for the end of the program after that of its output, and says whether it decompressed everything.
  func hasSucceeded() -> Bool {
    guard let child else { return true }
    self.child = nil
    var status: CInt = 0
    while unsafe waitpid(child, &status, 0) < 0, errno == EINTR {}
    // `gzip` returns 2 for a warning, such as zeros after the end.
    return status == 0 || status == 2 << 8
  }

  /// Ends the program if it still runs.
  func end() {
    guard let child else { return }
    _ = kill(child, SIGKILL)
    _ = hasSucceeded()
  }

  private static func start(_ words: [String], _ input: CInt, _ output: CInt) -> (pid_t?, CInt) {
    let vector = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // Both hold pointers with musl, the first with glibc.
    var (actions, attributes) = unsafe (posix_spawn_file_actions_t(), posix_spawnattr_t())
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    unsafe posix_spawn_file_actions_adddup2(&actions, input, 0)
    unsafe posix_spawn_file_actions_adddup2(&actions, output, 1)
    unsafe posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    // An ignored signal would stay ignored, and the program would not notice that nothing reads its output.
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    var defaults = sigset_t()
    unsafe sigemptyset(&defaults)
    unsafe sigaddset(&defaults, SIGPIPE)
    unsafe posix_spawnattr_setsigdefault(&attributes, &defaults)
    unsafe posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
    var child: pid_t = 0
    let error = unsafe posix_spawnp(&child, words[0], &actions, &attributes, vector, environ)
    return (error == 0 ? child : nil, error)
  }
}
