extension IPAddress {
  /// An IPv4 address as a 32-bit number.
  public struct V4: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The address as a number, the first octet in the highest bits.
    public let rawValue: UInt32

    /// Creates an address from its number, the first octet in the highest bits.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// Parses four decimal numbers of at most 255 without leading zeros, or returns `nil`.
    ///
    /// The lenient forms of `inet_aton` (`127.1`, `0x7f.1`) are rejected: their meaning differs between programs.
    public init?(_ text: some StringProtocol) {
      self.init(String(text)[...])
    }

    /// Does the same without the run-time cost of generic code.
    package init?(_ text: Substring) {
      var value: UInt32 = 0
      var parts = 1
      // `nil` before the first digit of a number.
      var number: UInt32?
      for byte in text.utf8 {
        switch byte {
        case UInt8(ascii: "."):
          guard let part = number, parts < 4 else { return nil }
          value = value << 8 | part
          number = nil
          parts += 1
        case UInt8(ascii: "0")...UInt8(ascii: "9"):
          guard number != 0 else { return nil }
          let longer = (number ?? 0) * 10 + UInt32(byte - UInt8(ascii: "0"))
          guard longer <= 255 else { return nil }
          number = longer
        default:
          return nil
        }
      }
      guard let number, parts == 4 else { return nil }
      rawValue = value << 8 | number
    }

    /// Four decimal numbers, for example `10.1.0.2`.
    public var description: String {
      "\(rawValue >> 24).\(rawValue >> 16 & 255).\(rawValue >> 8 & 255).\(rawValue & 255)"
    }
  }
}
