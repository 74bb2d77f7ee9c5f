extension UInt8 {
  var isDigit: Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self) }

  var isBlank: Bool { self == UInt8(ascii: " ") || self == UInt8(ascii: "\t") }

  /// Whether this byte may occur in a token: a field name or a method (RFC 9110, section 5.6.2).
  var isOfToken: Bool {
    isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self | 0x20)
      || "!#$%&'*+-.^_`|~".utf8.contains(self)
  }
}
