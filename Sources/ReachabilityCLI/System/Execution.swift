import CommandLineSupport

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Other programs in the place of this one.
enum Execution {
  /// Becomes another program, which is looked for beside this one and then where programs are (`PATH`).
  ///
  /// - Returns: Only if that fails: the error numbers for each path that there is something at, and where this program is.
  static func become(_ program: String, _ arguments: [String]) -> (
    failures: [(path: String, error: CInt)], home: String?
  ) {
    let home = folder
    let search =
      unsafe getenv("PATH").map { text in unsafe String(cString: text) } ?? "/usr/local/bin:/usr/bin:/bin"
    // An empty part would stand for the folder that the user is in, in which anybody may have put anything.
    let folders = [home].compactMap(\.self) + search.split(separator: ":").map(String.init)
    var failures: [(path: String, error: CInt)] = []
    for folder in folders where folder.hasPrefix("/") {
      let path = "\(folder)/\(program)"
      let error = execute(path, [program] + arguments)
      if error != ENOENT, error != ENOTDIR { failures.append((path, error)) }
    }
    return (failures, home)
  }

  /// Returns the error number if it can't be done.
  private static func execute(_ path: String, _ words: [String]) -> CInt {
    let vector = unsafe words.map { unsafe strdup($0) } + [nil]
    defer { unsafe vector.forEach { unsafe free($0) } }
    // What this program ignores, others do not expect to be ignored.
    signal(SIGPIPE, SIG_DFL)
    defer { signal(SIGPIPE, SIG_IGN) }
    _ = unsafe execv(path, vector)
    return errno
  }

  /// The folder that this program is in; `nil` where the system does not tell.
  private static var folder: String? {
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

  /// The system's words for an error number.
  static func text(_ error: CInt) -> String {
    unsafe strerror(error).map { text in unsafe String(cString: text) } ?? "error \(error)"
  }
}
