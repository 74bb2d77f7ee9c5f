import CLibrary

/// The user's time zone.
package enum LocalZone {
  /// The seconds that local time is ahead of UTC, at a moment in milliseconds since 1970.
  static func offset(at milliseconds: Int) -> Int {
    var seconds = time_t(milliseconds.dividedDown(by: 1000).quotient)
    var parts = unsafe tm()
    guard unsafe localtime_r(&seconds, &parts) != nil else { return 0 }
    return unsafe Int(parts.tm_gmtoff)
  }
}

/// The size of the terminal that shows the report.
package enum TerminalSize {
  /// The number of columns; `nil` if standard output is no terminal.
  package static var columns: Int? {
    var size = winsize()
    guard unsafe ioctl(1, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

/// The clock of the machine that makes the report.
package enum WallClock {
  /// The current time, in milliseconds since 1970.
  package static var milliseconds: Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
  }
}
