// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
extension String {
  /// The text, with `AGE` in place of every duration in words, such as `12 ms` or `1.2 s`.
  package var withEqualAges: String { replacing(/[0-9.]+ m?s\b/, with: "AGE") }

  /// The text without the words for a weak stall, which becomes a strong one after some seconds.
  package var withoutWeakness: String { replacing(", weak evidence", with: "") }

  /// The text, with `AGE` in place of every member of JSON objects in milliseconds that is not `null`.
  package var withEqualMilliseconds: String {
    replacing(/(illiseconds":)[0-9]+/) { "\($0.output.1)AGE" }
  }
}
#endif
