// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Foundation
import POSIX
import Testing

@Suite(.deadline) struct OpenFileTests {
  @Test func `a file that stays open is read from its beginning each time, up to a limit`() throws {
    let path = FileManager.default.temporaryDirectory.appending(path: "open-\(UUID())").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try Data().write(to: URL(filePath: path))
    let file = try OpenFile(path)
    for (text, expected) in [("", ""), ("four", "four"), ("longer", "long"), ("", "")] {
      try text.write(toFile: path, atomically: false, encoding: .utf8)
      #expect(try String(decoding: file.contents(upTo: 4), as: UTF8.self) == expected)
    }
  }
}
#endif
