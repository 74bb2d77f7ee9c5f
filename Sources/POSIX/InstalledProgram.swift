// SPDX-License-Identifier: Apache-2.0
import CLibrary

/// Where programs are that this one runs: in its own folder, or else in `PATH`.
package enum InstalledProgram {
  /// The first path at which a program can be executed; `nil` if there is none.
  package static func path(of program: String) -> String? {
    paths(of: program).first { unsafe access($0, X_OK) == 0 }
  }

  /// The paths at which a program may be; none in secure execution, where the caller chose both folder and `PATH`.
  package static func paths(of program: String) -> [String] {
    if ProcessIdentity.isInSecureExecution { return [] }
    let search = unsafe getenv("PATH").map { unsafe String(cString: $0) } ?? "/usr/local/bin:/usr/bin:/bin"
    // An empty part of PATH means the working directory, which may hold anybody's programs.
    let folders = [ownFolder].compactMap(\.self) + search.split(separator: ":").map(String.init)
    return folders.filter { $0.hasPrefix("/") }.map { "\($0)/\(program)" }
  }

  /// The folder of this program; `nil` where the system does not report it.
  package static var ownFolder: String? {
    #if canImport(Darwin)
    var bytes = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    var count = UInt32(PATH_MAX)
    guard unsafe _NSGetExecutablePath(&bytes, &count) == 0 else { return nil }
    let path = String(decoding: bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    #else
    guard let path = SystemFile.target(ofLink: "/proc/self/exe") else { return nil }
    #endif
    return path.lastIndex(of: "/").map { String(path[..<$0]) }
  }
}
