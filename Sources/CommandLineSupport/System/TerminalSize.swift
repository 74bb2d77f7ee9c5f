import CLibrary

/// The size of a terminal, in characters.
package struct TerminalSize: Equatable {
  package var columns: Int
  package var rows: Int

  package init(columns: Int, rows: Int) {
    self.columns = columns
    self.rows = rows
  }

  /// The present size of the terminal that receives standard output.
  ///
  /// `nil` if there is none, or if it does not report its size or cannot move its cursor.
  package static var ofOutput: TerminalSize? {
    guard let type = unsafe getenv("TERM").map({ unsafe String(cString: $0) }), !["", "dumb"].contains(type)
    else {
      return nil
    }
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return nil }
    return TerminalSize(columns: Int(size.ws_col), rows: Int(size.ws_row))
  }
}
