// SPDX-License-Identifier: Apache-2.0
import Foundation

extension NSRegularExpression {
  /// Whether some part of a text matches.
  ///
  /// Returns `false` after the time limit, which patterns with excessive backtracking reach.
  func hasMatch(in text: String, within limit: Duration) -> Bool {
    let deadline = ContinuousClock.now + limit
    var hasMatch = false
    // Progress is reported during backtracking too, so the block is called in time to stop the search.
    unsafe enumerateMatches(in: text, options: .reportProgress, range: NSRange(text.startIndex..., in: text))
    {
      match, _, stop in
      if match != nil { hasMatch = true }
      if match != nil || ContinuousClock.now >= deadline { unsafe stop.pointee = true }
    }
    return hasMatch
  }
}
