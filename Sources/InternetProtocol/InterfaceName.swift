// SPDX-License-Identifier: Apache-2.0
/// The name of a network interface, which to the kernel is a sequence of bytes.
///
/// Names are equal if their bytes are. Comparing text is not enough: Swift treats canonically equivalent strings as
/// equal, and replaces all invalid UTF-8 by the same character.
package struct InterfaceName: Hashable, Sendable {
  /// The name for display, with invalid UTF-8 replaced.
  package let text: String
  /// The bytes if they are not valid UTF-8, otherwise `nil`.
  private let bytes: [UInt8]?

  /// Creates a name from the UTF-8 of a text.
  package init(_ text: String) {
    self.text = text
    bytes = nil
  }

  package init(bytes: some Collection<UInt8>) {
    text = String(decoding: bytes, as: UTF8.self)
    self.bytes = text.utf8.elementsEqual(bytes) ? nil : Array(bytes)
  }

  /// Whether the name is valid UTF-8, so that text can express it.
  package var isText: Bool { bytes == nil }

  /// The bytes, without a terminating zero.
  package var octets: [UInt8] { bytes ?? Array(text.utf8) }

  package static func == (one: InterfaceName, other: InterfaceName) -> Bool {
    one.text.utf8.elementsEqual(other.text.utf8) && one.bytes == other.bytes
  }

  package func hash(into hasher: inout Hasher) {
    // Equal names have equal text.
    hasher.combine(text)
  }
}

extension InterfaceName: ExpressibleByStringLiteral, CustomStringConvertible {
  package init(stringLiteral text: String) { self.init(text) }

  package var description: String { text }
}

// MARK: - In a shell

extension String {
  /// The text as one word of a command, which a shell takes literally.
  ///
  /// Letters and digits of ASCII and `._-:@` need no quotes. Single quotes are around the rest, except that a quote and a
  /// backslash stand outside of them, where fish reads them as other shells do: `'a'\''b'`. A text with characters that a
  /// terminal would not show is written as bytes: `$'a\033b'`.
  package var shellWord: String {
    let isPlain = unicodeScalars.allSatisfy { scalar in
      switch scalar {
      case "a"..."z", "A"..."Z", "0"..."9", ".", "_", "-", ":", "@": true
      default: false
      }
    }
    if isPlain, !isEmpty { return self }
    if unicodeScalars.contains(where: \.isHostileToTerminals) { return Array(utf8).octalShellWord }
    var word = "'"
    for scalar in unicodeScalars {
      switch scalar {
      case "'", "\\": word += "'\\\(scalar)'"
      default: word.unicodeScalars.append(scalar)
      }
    }
    return word + "'"
  }
}

extension InterfaceName {
  /// The name as one word of a command, as bytes if it is not valid UTF-8.
  package var shellWord: String { bytes?.octalShellWord ?? text.shellWord }
}

extension [UInt8] {
  /// The bytes as `$'a\033b'`, where all but visible ASCII are octal numbers of three digits.
  ///
  /// POSIX.1-2024 has this form, and bash, zsh, ksh and BusyBox know it. An older `sh` (dash) takes it for another name, and
  /// fish and csh refuse it; none runs a part of it.
  fileprivate var octalShellWord: String {
    let characters = map { byte in
      let isVisible = (UInt8(ascii: " ")...UInt8(ascii: "~")).contains(byte)
      // An exclamation mark would be a command of the history.
      if isVisible, !"'\\!".utf8.contains(byte) { return String(Unicode.Scalar(byte)) }
      let digits = String(byte, radix: 8)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
    return "$'\(characters.joined())'"
  }
}

extension Unicode.Scalar {
  /// Whether a terminal or a reader could take the character for something other than text.
  ///
  /// It could move a cursor, change a colour, reverse the direction of writing, look like the end of a column, or not be
  /// visible at all: Unicode's property Default_Ignorable_Code_Point.
  package var isHostileToTerminals: Bool {
    switch properties.generalCategory {
    case .spaceSeparator: self != " "
    case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: true
    default: properties.isDefaultIgnorableCodePoint || isBlank
    }
  }

  /// Whether the character is a symbol, letter or mark without ink, to which Unicode gives no property that says so.
  private var isBlank: Bool {
    switch value {
    // The blank of braille, the null note head, the blanks of hieroglyphs, the filler of Khitan.
    case 0x2800, 0x1d159, 0x13441, 0x13442, 0x16fe4: true
    default: false
    }
  }
}
