import Foundation

extension NSRegularExpression {
  /// Whether something in a text matches; `false` once the time is over, which some patterns take for ever.
  func hasMatch(in text: String, within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    var hasMatch = false
    // Progress is reported while it goes back and forth in the text, too, and so there is a moment to stop it.
    unsafe enumerateMatches(in: text, options: .reportProgress, range: NSRange(text.startIndex..., in: text))
    {
      match, _, stop in
      if match != nil { hasMatch = true }
      if match != nil || ContinuousClock.now >= deadline { unsafe stop.pointee = true }
    }
    return hasMatch
  }
}
