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
  var isPrintableASCII: Bool { utf8.allSatisfy { (UInt8(ascii: " ")...UInt8(ascii: "~")).contains($0) } }
}
