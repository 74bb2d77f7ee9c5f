import CLibrary

/// The size of the terminal that shows the report.
package enum TerminalSize {
  /// The number of columns; `nil` if standard output is no terminal.
  package static var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}
