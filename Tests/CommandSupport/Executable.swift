// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// A program of the same build as the tests.
package struct Executable: Sendable {
  package let path: String

  /// Finds the program in the folder of the tests.
  package init(_ name: String) throws {
    let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    path = URL(filePath: tests).deletingLastPathComponent().appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      throw CommandError("the program is not at \(path); build it with 'swift build'")
    }
  }
}
#endif
