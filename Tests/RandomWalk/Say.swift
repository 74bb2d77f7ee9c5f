#if os(Linux)
import Foundation

/// Prints a line at once, whatever reads it.
func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}
#endif
