// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// A run of a script of this package.
struct Script {
  /// The package's folder.
  static let package = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardized

  /// The modules of the build that these tests belong to.
  static var modules: String {
    get throws {
      let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
      return URL(filePath: program).deletingLastPathComponent().appending(path: "Modules").path()
    }
  }

  /// The exit status.
  let status: Int32
  /// What was printed to standard output, and to standard error.
  let output: String, errors: String

  /// Runs a program in a folder until it ends.
  init(_ program: String, _ arguments: [String], in folder: URL) throws {
    try self = TemporaryFolder.with { files in
      let (output, errors) = (files.appending(path: "output"), files.appending(path: "errors"))
      try Data().write(to: output)
      try Data().write(to: errors)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      process.arguments = [program] + arguments
      process.currentDirectoryURL = folder
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = try FileHandle(forWritingTo: output)
      process.standardError = try FileHandle(forWritingTo: errors)
      try process.run()
      process.waitUntilExit()
      return Script(
        status: process.terminationStatus, output: try String(contentsOf: output, encoding: .utf8),
        errors: try String(contentsOf: errors, encoding: .utf8))
    }
  }

  private init(status: Int32, output: String, errors: String) {
    (self.status, self.output, self.errors) = (status, output, errors)
  }
}

/// A folder that exists during a call.
enum TemporaryFolder {
  static func with<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }
}
#endif
