import Foundation
import Testing

enum Deadline {
  /// Waits until a condition holds; records an issue if it does not in time.
  static func wait(_ what: String, seconds: TimeInterval = 10, _ condition: () -> Bool) {
    let deadline = Date(timeIntervalSinceNow: seconds)
    while !condition() {
      guard Date() < deadline else {
        Issue.record("not in time: \(what)")
        return
      }
      Thread.sleep(forTimeInterval: 0.001)
    }
  }
}
