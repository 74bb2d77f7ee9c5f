// SPDX-License-Identifier: Apache-2.0
import Dispatch
import InternetProtocol

extension String {
  /// The text with each character that could harm a terminal or mislead a reader replaced by its code point.
  ///
  /// Interface names come from outside and may hold almost any byte.
  package var escapedForTerminal: String {
    if isPrintableASCII { return self }
    var result = ""
    for scalar in unicodeScalars {
      if scalar.isHostileToTerminals {
        result += "\\u{\(String(scalar.value, radix: 16))}"
      } else {
        result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// Whether each byte is a character that a terminal shows; almost all text is like that.
  var isPrintableASCII: Bool { utf8.allSatisfy(\.isPrintableASCII) }

  /// Returns the text, followed by spaces up to the width of a column.
  package func padded(to width: Int) -> String {
    let missing = width - (isPrintableASCII ? utf8.count : count)
    return missing > 0 ? self + String(repeating: " ", count: missing) : self
  }

  /// The text in lines of at most so many columns, of which all but the first begin with an indentation.
  ///
  /// The first line stands behind as many characters as the indentation has. A longer word has a line for itself.
  ///
  /// - Parameter end: The end of the text that is not divided.
  package func wrapped(to width: Int, indent: Int = 0, whole end: String = "") -> String {
    var (text, column) = ("", indent)
    var words = split(separator: " ", omittingEmptySubsequences: false)
    if !end.isEmpty, hasSuffix(" " + end) {
      words = dropLast(end.count + 1).split(separator: " ", omittingEmptySubsequences: false) + [end[...]]
    }
    for word in words {
      if column > indent, column + 1 + word.count > width {
        text += "\n" + String(repeating: " ", count: indent)
        column = indent
      } else if column > indent {
        text += " "
        column += 1
      }
      text += word
      column += word.count
    }
    return text
  }
}

extension UInt8 {
  /// Whether this is a character of ASCII that a terminal shows.
  var isPrintableASCII: Bool { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains(self) }
}

extension Array<String> {
  /// The texts as a list in a sentence, for example `a, b and c`.
  package func inWords(_ conjunction: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

extension Duration {
  /// The accepted forms of a duration, in words.
  package static let acceptedTexts = "a whole number with a unit, for example 500ms, 30s, 2m or 1h"

  /// Reads a whole number with a unit: `500ms`, `30s`, `2m`, `1h`.
  package init?(text: String) {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    // The limit is a century: more than any use needs, and far from the limits of the clocks.
    guard let number = Int64(digits), number <= 3_155_760_000_000 else { return nil }
    switch text.dropFirst(digits.count) {
    case "ms": self = .milliseconds(number)
    case "s" where number <= 3_155_760_000: self = .seconds(number)
    case "m" where number <= 52_596_000: self = .seconds(number * 60)
    case "h" where number <= 876_600: self = .seconds(number * 3600)
    default: return nil
    }
  }

  /// Reads the time from one turn to the next: at least a second.
  package init?(intervalText text: String) {
    self.init(text: text)
    guard self >= .seconds(1) else { return nil }
  }

  /// The duration as a Dispatch interval, in whole milliseconds.
  package var interval: DispatchTimeInterval {
    .milliseconds(Int(clamping: Int64(self / .milliseconds(1))))
  }
}

extension FixedWidthInteger {
  /// Reads a number that consists of decimal digits only; unlike `init(_:)`, it rejects a sign.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    self.init(text)
  }
}

extension Int {
  /// The number divided by a power of ten, with so many decimals: `12.040` for 12040 and 3.
  package func decimal(places: Int) -> String {
    let digits = String(magnitude)
    let padded = String(repeating: "0", count: Swift.max(places + 1 - digits.count, 0)) + digits
    return "\(self < 0 ? "-" : "")\(padded.dropLast(places)).\(padded.suffix(places))"
  }
}

/// The colours of text on a terminal, by their numbers in SGR sequences.
package enum TerminalColour: Int {
  case red = 31
  case green = 32
  case yellow = 33
}

/// When output has colours.
package enum ColourChoice: String, CaseIterable, Sendable {
  /// On a terminal, unless the environment variable `NO_COLOR` says otherwise.
  case auto
  case always
  case never
}

/// A word of a command line: bytes, since the names of files and interfaces need not be UTF-8.
package struct Argument: Hashable, Sendable {
  package let bytes: [UInt8]

  package init(bytes: some Sequence<UInt8>) {
    self.bytes = Array(bytes)
  }

  package init(_ text: String) {
    bytes = Array(text.utf8)
  }

  /// The text, with invalid UTF-8 replaced.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Whether the bytes are UTF-8, so that text can express them.
  package var isText: Bool { text.utf8.elementsEqual(bytes) }
}
