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
    let count = Pipe.read(descriptor, into: &buffer)
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
    let pipe: (reading: CInt, writing: CInt)
    do throws(Errno) { pipe = try Pipe.open() } catch { throw .system(error) }
    defer { _ = close(pipe.writing) }
    let errors = unsafe open("/dev/null", O_WRONLY | O_CLOEXEC)
    defer { _ = close(errors) }
    do throws(Errno) {
      child = try ChildProcess.start([name, "-dc"], streams: [input: 0, pipe.writing: 1, errors: 2])
    } catch {
      _ = close(pipe.reading)
      throw .program(name, error)
    }
    output = pipe.reading
  }

  /// Waits for the end of the program after that of its output, and says whether it decompressed everything.
  func hasSucceeded() -> Bool {
    guard let child else { return true }
    self.child = nil
    let status = ChildProcess.status(atEndOf: child)
    // `gzip` returns 2 for a warning, such as zeros after the end.
    return status == 0 || status == 2 << 8
  }

  /// Ends the program if it still runs.
  func end() {
    guard let child else { return }
    _ = kill(child, SIGKILL)
    _ = hasSucceeded()
  }
}
