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
