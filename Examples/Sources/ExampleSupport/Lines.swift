// SPDX-License-Identifier: Apache-2.0
import Foundation

/// Writes a line and flushes, also into a pipe or a file.
public func say(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

/// Writes a line to standard error.
public func complain(_ line: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}

/// Ends the program with a message about invalid arguments, and the conventional exit status 2.
public func misuse(_ problem: String, usage: String) -> Never {
  complain("error: \(problem)\n\(usage)")
  exit(2)
}
