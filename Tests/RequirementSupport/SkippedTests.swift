// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import Synchronization

/// The tests that this process skipped; at its end it writes how many, why, and what to type.
package final class SkippedTests: Sendable {
  package static let shared = SkippedTests()

  private let skipReasons = Mutex<[SkipReason]>([])

  private init() {
    // No trait learns that the run has ended.
    atexit { FileHandle.standardError.write(Data(SkippedTests.shared.summary.utf8)) }
  }

  /// Counts a test that is skipped.
  package func insert(_ reason: SkipReason) { skipReasons.withLock { $0.append(reason) } }

  private var summary: String { Self.summary(of: skipReasons.withLock(\.self)) }

  /// The last lines of a run that skipped tests for these reasons.
  package static func summary(of skipReasons: [SkipReason]) -> String {
    let counts = Dictionary(grouping: skipReasons, by: \.self).mapValues(\.count)
      .sorted { ($1.value, $0.key.description) < ($0.value, $1.key.description) }
    let width = counts.first.map { "\($0.value)".count } ?? 0
    let lines = counts.map { reason, count in
      String(repeating: " ", count: 2 + width - "\(count)".count) + "\(count)  \(reason)\n"
    }
    let advice = "To install what is missing (Debian, Ubuntu) and run all tests, type: scripts/test\n"
    return "\(skipReasons.count) test\(skipReasons.count == 1 ? " was" : "s were") skipped:\n"
      + lines.joined()
      + (skipReasons.contains(where: \.isPackage) ? advice : "")
  }
}
#endif
