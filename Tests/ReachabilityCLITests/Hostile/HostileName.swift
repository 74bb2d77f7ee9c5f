// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Testing

/// An interface name that the kernel accepts: at most 15 bytes of almost any value.
struct HostileName: Sendable, CustomTestStringConvertible {
  var bytes: [UInt8]

  init(_ text: String) {
    bytes = Array(text.utf8)
  }

  init(bytes: [UInt8]) {
    self.bytes = bytes
  }

  /// The name as UTF-8 text, with invalid bytes replaced.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The name in octal for a shell's `printf`, which neither the shell nor `ip` interprets.
  var octal: String {
    bytes.map { byte in
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    .joined()
  }

  var isText: Bool { Array(text.utf8) == bytes }

  var testDescription: String { text.debugDescription }

  static let all = [
    // Terminal commands: a title, a cleared screen (by ESC and by C1), backspaces, a bell.
    HostileName("\u{1b}]0;title\u{7}"), HostileName("\u{1b}[2J\u{1b}[H"), HostileName("a\u{9b}2Jb"),
    HostileName("\u{8}\u{8}\u{8}\u{8}\u{7f}b"), HostileName("\u{7}\u{e}\u{f}"),
    // Delimiters of strings, objects and commands.
    HostileName(#""},{"a","b"#), HostileName(#"\u001b\n\"#), HostileName("';$(id)`id`"), HostileName("-n"),
    HostileName("--json"), HostileName("{}[],"),
    // Unusual line ends and spaces, combining marks, and bidirectional controls.
    HostileName("a\u{2028}b\u{2029}c"), HostileName("a\u{85}b"), HostileName("\u{2003}\u{3000}b"),
    HostileName("\u{202e}\u{2066}ab"), HostileName("\u{200b}\u{feff}\u{200d}"),
    HostileName("\u{3164}\u{115f}\u{34f}\u{fe0f}"), HostileName("\u{17b4}\u{1d159}"),
    HostileName("e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}"), HostileName("\u{301}a"),
    HostileName("\u{e000}\u{f0000}"),
    // Invalid UTF-8: a stray C1, unfinished sequences, an overlong slash, half a surrogate pair.
    HostileName(bytes: [0x9b, 0x32, 0x4a]), HostileName(bytes: [0x61, 0xe2, 0x80]),
    HostileName(bytes: [0xff, 0xfe, 0xfd]), HostileName(bytes: [0xc0, 0xaf, 0x61]),
    HostileName(bytes: [0xed, 0xa1, 0x80]),
    HostileName(bytes: Array(repeating: 0xf0, count: 15)),
  ]

}
#endif
