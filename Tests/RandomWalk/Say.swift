#if os(Linux)
import Foundation

/// Prints a line and flushes, also into a pipe.
func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
#endif
