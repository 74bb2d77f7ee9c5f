import CLibrary
import CommandLineSupport
import POSIX

/// The replacement of this process by another program.
enum Execution {
  /// Replaces this process by another program, found in this program's folder or else in `PATH`.
  ///
  /// - Returns: Only on failure: each path at which something exists, with its error number, and the folder of this program.
  static func become(_ program: String, _ arguments: [Argument]) -> (
    failures: [(path: String, error: CInt)], home: String?
  ) {
    var failures: [(path: String, error: CInt)] = []
    for path in paths(of: program) {
      let error = execute(path, [Argument(program)] + arguments)
      if error != ENOENT, error != ENOTDIR { failures.append((path, error)) }
    }
    return (failures, folder)
  }

  /// The first path at which a program can be executed; `nil` if there is none.
  static func path(of program: String) -> String? {
    paths(of: program).first { unsafe access($0, X_OK) == 0 }
  }

  /// The paths at which a program may be; none in secure execution, where the caller chose both folder and `PATH`.
  private static func paths(of program: String) -> [String] {
    if ProcessIdentity.isInSecureExecution { return [] }
    let search =
      unsafe getenv("PATH").map { text in unsafe String(cString: text) } ?? "/usr/local/bin:/usr/bin:/bin"
    // An empty part of PATH means the working directory, which may hold anybody's programs.
    let folders = [folder].compactMap(\.self) + search.split(separator: ":").map(String.init)
    return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }

  /// Returns the error number, and only on failure.
  private static func execute(_ path: String, _ words: [Argument]) -> CInt {
    let vector = unsafe words.map { unsafe $0.allocated() } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // An ignored signal stays ignored in the new program, which does not expect that.
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    _ = unsafe execv(path, vector)
    return errno
  }

  /// The folder of this program; `nil` where the system does not report it.
  static var folder: String? {
    let size = Int(PATH_MAX)
    var bytes = [CChar](repeating: 0, count: size + 1)
    #if canImport(Darwin)
    var count = UInt32(size)
    guard unsafe _NSGetExecutablePath(&bytes, &count) == 0 else { return nil }
    #else
    guard unsafe readlink("/proc/self/exe", &bytes, size) > 0 else { return nil }
    #endif
    let path = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
