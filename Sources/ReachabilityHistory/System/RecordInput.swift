// SPDX-License-Identifier: Apache-2.0
import CLibrary
import POSIX

/// A file that is read once, from its beginning to its end; a compressed one through the program for its format.
final class RecordInput {
  /// Why the end of a compressed file is missing.
  enum Loss {
    case damage
    /// It would expand without measure.
    case expansion
  }

  private let descriptor: CInt
  private let program: DecompressingProgram?
  private var rest = Int.max
  /// What is missing, once the file has been read.
  private(set) var loss: Loss?

  /// Opens a file.
  ///
  /// - Parameter isFile: Whether only a regular file is meant: a link is not followed, and a pipe is not waited for.
  init(_ path: String, isFile: Bool = false) throws(RecordReadError) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC | (isFile ? O_NOFOLLOW | O_NONBLOCK : 0))
    if file < 0 { throw .system(.last) }
    guard let format = Self.format(of: file) else {
      (descriptor, program) = (file, nil)
      return
    }
    defer { _ = close(file) }
    var status = stat()
    if unsafe fstat(file, &status) == 0 { rest = Self.maximumSize(ofCompressed: Int(status.st_size)) }
    let program = try DecompressingProgram(format, reading: file)
    (descriptor, self.program) = (program.output, program)
  }

  deinit {
    _ = close(descriptor)
    program?.end()
  }

  /// The bytes to which a file may expand, since a small one could fill any memory: records expand to 10 to 40 times.
  private static func maximumSize(ofCompressed size: Int) -> Int { max(size, 1 << 16) * 200 }

  /// The program for a compressed file, by its first bytes; `nil` for other files, and for what is no file.
  private static func format(of descriptor: CInt) -> String? {
    var bytes = [UInt8](repeating: 0, count: 6)
    let count = unsafe pread(descriptor, &bytes, bytes.count, 0)
    let start = bytes.prefix(max(count, 0))
    let formats: [(program: String, [UInt8])] = [
      // RFC 1952 with deflate, the .xz file format 1.2.1, RFC 8878.
      ("gzip", [0x1f, 0x8b, 8]), ("xz", [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]),
      ("zstd", [0x28, 0xb5, 0x2f, 0xfd]),
    ]
    return formats.first { start.starts(with: $0.1) }?.program
  }

  /// Reads the next bytes into the buffer; returns their number, zero at the end.
  func read(_ buffer: inout [UInt8]) throws(RecordReadError) -> Int {
    while true {
      let count = unsafe buffer.withUnsafeMutableBytes { unsafe readBytes(descriptor, $0) }
      if count < 0, errno == EINTR { continue }
      if count < 0 { throw .system(.last) }
      rest -= count
      if rest < 0 {
        loss = .expansion
        return 0
      }
      if count == 0, let program, !program.hasSucceeded() { loss = .damage }
      return count
    }
  }
}

/// Why a file cannot be read.
package enum RecordReadError: Error, Equatable, CustomStringConvertible {
  case system(Errno)
  /// The file is compressed, and the program that reads it could not be started.
  case program(String, Errno)

  package var description: String {
    switch self {
    case .system(let error): error.description
    case .program(let name, let error): "it is compressed, and '\(name)' could not be started: \(error)"
    }
  }

  /// What to do about it.
  package var hint: String {
    switch self {
    case .system: "give files that 'reachability record' wrote"
    case .program(let name, .notFound): "install '\(name)', or give the file that '\(name) -dc' makes of it"
    case .program(let name, _): "give the file that '\(name) -dc' makes of it"
    }
  }
}

// Outside of the type, where `read` is its own.
private func readBytes(_ descriptor: CInt, _ buffer: UnsafeMutableRawBufferPointer) -> Int {
  unsafe read(descriptor, buffer.baseAddress, buffer.count)
}

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
    (child, error) = Self.start([name, "-dc"], input: input, output: writing)
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

  private static func start(_ words: [String], input: CInt, output: CInt) -> (pid_t?, CInt) {
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
