// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLiveSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A program in a network namespace that reads and writes lines.
///
/// Supports one user at a time.
public final class Dialogue {
  private let name: String
  private let child: pid_t
  private var descriptors: [Int32]
  /// Lines that were read but not yet returned, in reverse order.
  private var lines: [String] = []
  private var unfinished: ArraySlice<UInt8> = []

  /// The seconds until a silent program counts as stuck: more than a start takes while a build fills the machine.
  private static let timeLimit: Int32 = 60

  /// Starts a program.
  ///
  /// - Parameters:
  ///   - name: The program's name in errors.
  ///   - path: The program's path.
  ///   - words: The arguments, including the name as the first one.
  public init(_ name: String, running path: String, _ words: [String], in namespace: NetworkNamespace) throws
  {
    self.name = name
    (child, descriptors) = try namespace.run {
      var strings = unsafe words.map { unsafe strdup($0) }
      unsafe strings.append(nil)
      defer { unsafe strings.forEach { unsafe free($0) } }
      var child: pid_t = 0
      var descriptors: [Int32] = [-1, -1]
      let error = unsafe live_start(path, strings, &descriptors, &child)
      try LiveError.check(error, name)
      return (child, descriptors)
    }
  }

  deinit {
    unsafe live_end(descriptors, child)
  }

  /// Sends a signal to the program.
  public func send(_ signal: Int32) throws {
    try LiveError.check(kill(child, signal) == 0 ? 0 : errno, "signal \(name)")
  }

  /// Writes text to the program's standard input.
  public func write(_ text: String) throws {
    let bytes = Array(text.utf8)
    try LiveError.check(unsafe live_write_all(descriptors[0], bytes, bytes.count), "write to \(name)")
  }

  /// Returns the next line of the program's standard output or error, without the newline.
  ///
  /// - Throws: ``LiveError`` with the unfinished line if the program ends or writes no complete line.
  public func readLine() throws -> String {
    while lines.isEmpty {
      let chunk = try unsafe [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in
        let length = unsafe live_read(descriptors[1], buffer.baseAddress, buffer.count, Self.timeLimit)
        guard length > 0 else {
          throw length == 0
            ? LiveError(name, "the program ended. \(String(decoding: unfinished, as: UTF8.self))")
            : LiveError("read from \(name)", errorNumber: errno)
        }
        count = length
      }
      var parts = chunk.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      parts[0] = unfinished + parts[0]
      unfinished = parts.removeLast()
      lines = parts.reversed().map { String(decoding: $0, as: UTF8.self) }
    }
    return lines.removeLast()
  }
}
#endif
