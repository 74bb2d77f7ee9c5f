import Foundation

/// Writes a line at once, also into a pipe or a file.
public func say(_ line: String) {
  try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8))
}

/// Writes a line to standard error.
public func complain(_ line: String) {
  try? FileHandle.standardError.write(contentsOf: Data("\(line)\n".utf8))
}

/// Ends the program with what is wrong with its arguments, and the status that shells know for that.
public func misuse(_ problem: String, usage: String) -> Never {
  complain("error: \(problem)\n\(usage)")
  exit(2)
}
