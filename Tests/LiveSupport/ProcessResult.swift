// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The exit status and output of a child process.
public struct ProcessResult: Sendable {
  /// The exit status, or 128 plus the number of the signal that ended it.
  public let status: Int32
  /// The standard output.
  public let standardOutput: String
  /// The standard error.
  public let standardError: String

  /// Runs a program from the calling thread until it ends; errors contain the given name.
  init(
    running program: String, _ arguments: [String], named name: String, within limit: Duration
  ) throws {
    // Files take any amount of output without a reader, and a grandchild may keep them open.
    let output = live_memory_file()
    try LiveError.check(output < 0 ? errno : 0, "memfd_create")
    defer { close(output) }
    let errors = live_memory_file()
    try LiveError.check(errors < 0 ? errno : 0, "memfd_create")
    defer { close(errors) }

    var status: Int32 = 0
    var strings = unsafe arguments.map { unsafe strdup($0) }
    unsafe strings.append(nil)
    defer { unsafe strings.forEach { unsafe free($0) } }
    let seconds = Int32(limit.components.seconds)
    let error = unsafe live_execute(program, strings, output, errors, seconds, &status)
    standardOutput = Self.contents(of: output)
    standardError = Self.contents(of: errors)
    guard error != ETIMEDOUT else { throw LiveError(name, "still running after \(limit). \(standardError)") }
    try LiveError.check(error, name)
    self.status = status
  }

  func standardOutput(orThrowFor command: String) throws -> String {
    guard status == 0 else { throw LiveError(command, "status \(status): \(standardError)") }
    return standardOutput
  }

  private static func contents(of file: Int32) -> String {
    let size = Int(lseek(file, 0, SEEK_END))
    guard size > 0 else { return "" }
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = unsafe max(pread(file, buffer.baseAddress, size, 0), 0)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
#endif
