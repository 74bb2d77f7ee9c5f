extension IPAddress {
  /// An IPv4 address as a 32-bit number.
  public struct V4: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    /// The address as a number, the first octet in the highest bits.
    public let rawValue: UInt32

    /// Makes an address from its number, the first octet in the highest bits.
    public init(rawValue: UInt32) {
      self.rawValue = rawValue
    }

    /// Reads four decimal numbers of at most 255, without leading zeros, or returns `nil`.
    ///
    /// The lenient forms of `inet_aton` (`127.1`, `0x7f.1`) are not read: what they mean differs from program to
    /// program.
    public init?(_ text: some StringProtocol) {
      var value: UInt32 = 0
      var parts = 0
      for part in text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
        guard (1...3).contains(part.count), parts < 4 else { return nil }
        if part.count > 1, part.first == UInt8(ascii: "0") { return nil }
        var number: UInt32 = 0
        for digit in part {
          guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
          number = number * 10 + UInt32(digit - UInt8(ascii: "0"))
        }
        guard number <= 255 else { return nil }
        value = value << 8 | number
        parts += 1
      }
      guard parts == 4 else { return nil }
      rawValue = value
    }

    /// Four decimal numbers, such as `10.1.0.2`.
    public var description: String {
      "\(rawValue >> 24).\(rawValue >> 16 & 255).\(rawValue >> 8 & 255).\(rawValue & 255)"
    }
  }
}
