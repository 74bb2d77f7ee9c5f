// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import LiveSupport

/// A folder with a copy of the command, and optionally with a script named `reachability-verify`.
final class CommandFolder {
  let path = FileManager.default.temporaryDirectory.appending(path: "verify-\(UUID())").path

  init(_ other: String? = nil, isExecutable: Bool = true) throws {
    // Other processes write the files: a program open for writing in a child of another test cannot start (ETXTBSY).
    let words = [try Executable("reachability").path, path, other ?? "", isExecutable ? "755" : "644"]
    let result = try NetworkNamespace().shell(
      """
      mkdir "$2" && cp "$1" "$2" || exit
      [ -z "$3" ] || { printf %s "$3" >"$2/reachability-verify" && chmod "$4" "$2/reachability-verify"; }
      """, words)
    guard result.status == 0 else { throw CommandError("no folder with the command: \(result)") }
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Starts the copy of the command; `argv[0]` holds its path in the folder, not in the build.
  ///
  /// - Parameter launcher: A program with its arguments that executes the command.
  func start(
    _ arguments: [String], path search: String = "/usr/bin:/bin", in network: NetworkNamespace? = nil,
    through launcher: String = ""
  ) throws -> RunningCommand {
    try RunningCommand(
      arguments, in: network, environment: ["PATH": search],
      through: "shift; exec \(launcher) '\(path)/reachability' \"$@\"")
  }
}
#endif
