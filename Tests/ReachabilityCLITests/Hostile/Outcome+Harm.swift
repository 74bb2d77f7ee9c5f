// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CommandSupport
import Foundation
import Testing

extension Outcome {
  /// The characters of both streams that could act on a terminal or stay invisible.
  var harmfulCharacters: [String] {
    (output + errors).unicodeScalars.filter(\.isHarmful).map { String($0.value, radix: 16) }
  }

  /// The lines of the output; a missing last line feed shows as an extra line.
  var lines: [String] {
    var lines = output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if lines.last == "" { lines.removeLast() } else { lines.append("(the end of the last line)") }
    return lines
  }

  /// Each line of the output as a JSON object; any other line records an issue.
  func objects(sourceLocation: SourceLocation = #_sourceLocation) -> [[String: Any]] {
    lines.compactMap { line in
      let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      if object == nil {
        Issue.record("not an object: \(line.debugDescription)", sourceLocation: sourceLocation)
      }
      return object
    }
  }

  /// Expects a regular exit, the numbers of data and message lines, and no character that could act on a terminal.
  ///
  /// - Parameter isJSON: Whether each line of data must be a JSON object.
  func expectHarmless(
    lines count: Int? = nil, errors errorCount: Int? = nil, isJSON: Bool = false, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(harmfulCharacters == [], "\(what): \(self)", sourceLocation: sourceLocation)
    #expect((0...2).contains(status), "\(what)", sourceLocation: sourceLocation)
    if let count { #expect(lines.count == count, "\(what): \(self)", sourceLocation: sourceLocation) }
    if let errorCount {
      let lines = errors.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == errorCount + 1, "\(what): \(self)", sourceLocation: sourceLocation)
      #expect(lines.last == "", "\(what): \(self)", sourceLocation: sourceLocation)
    }
    if isJSON { _ = objects(sourceLocation: sourceLocation) }
  }
}

extension Unicode.Scalar {
  fileprivate var isHarmful: Bool {
    switch value {
    case 0x0a: false
    // C0, delete and C1; unusual spaces; invisible and bidirectional characters; private and unassigned ones.
    case 0...0x1f, 0x7f...0xa0, 0xad, 0x034f, 0x061c, 0x115f, 0x1160, 0x1680, 0x17b4, 0x17b5, 0x180b...0x180f,
      0x2000...0x200f, 0x2028...0x202f, 0x205f...0x206f, 0x2800, 0x3000, 0x3164, 0xe000...0xf8ff,
      0xfe00...0xfe0f, 0xfeff, 0xffa0, 0xfff0...0xfffb, 0x1d159, 0x1d173...0x1d17a, 0xe0000...0x10ffff:
      true
    default: false
    }
  }
}
#endif
