// SPDX-License-Identifier: Apache-2.0
extension ReachabilityAddress {
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

  /// An IPv6 address as a 128-bit number.
  public struct V6: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    // Two halves: memory for a number of 128 bits is aligned to 16 bytes, which takes more of it, and another allocator.
    private let high: UInt64
    private let low: UInt64

    /// The address as a number, the first octet in the highest bits.
    public var rawValue: UInt128 { UInt128(high) << 64 | UInt128(low) }

    /// Creates an address from its number, the first octet in the highest bits.
    public init(rawValue: UInt128) {
      (high, low) = (UInt64(truncatingIfNeeded: rawValue >> 64), UInt64(truncatingIfNeeded: rawValue))
    }

    /// The IPv4 address in an IPv4-mapped address (`::ffff:0:0/96`), otherwise `nil`.
    public var mappedV4: V4? {
      rawValue >> 32 == 0xffff ? V4(rawValue: UInt32(truncatingIfNeeded: rawValue)) : nil
    }

    /// Parses the text form of RFC 4291 section 2.2 without a zone, or returns `nil`.
    ///
    /// The form has up to eight groups of one to four hexadecimal digits and at most one `::`, for at least one group
    /// of zeros. An IPv4 address may replace the last two groups.
    public init?(_ text: some StringProtocol) {
      self.init(String(text)[...])
    }

    /// Does the same without the run-time cost of generic code.
    package init?(_ text: Substring) {
      let bytes = Array(text.utf8)
      let colon = UInt8(ascii: ":")
      var before: [UInt16] = []
      var after: [UInt16] = []
      var sawGap = false
      var position = 0

      if bytes.starts(with: [colon, colon]) {
        sawGap = true
        position = 2
      }
      while position < bytes.count {
        let end = bytes[position...].firstIndex(of: colon) ?? bytes.count
        let part = bytes[position..<end]
        var groups: [UInt16] = []
        if end == bytes.count, part.contains(UInt8(ascii: ".")) {
          guard let tail = V4(String(decoding: part, as: UTF8.self)[...]) else { return nil }
          groups = [UInt16(tail.rawValue >> 16), UInt16(tail.rawValue & 0xffff)]
        } else {
          guard let group = Self.group(part) else { return nil }
          groups = [group]
        }
        if sawGap { after += groups } else { before += groups }
        guard end < bytes.count else { break }
        position = end + 1
        if position == bytes.count { return nil }
        if bytes[position] == colon {
          guard !sawGap else { return nil }
          sawGap = true
          position += 1
        }
      }

      let count = before.count + after.count
      guard sawGap ? count <= 7 : count == 8 else { return nil }
      let groups = before + Array(repeating: 0, count: 8 - count) + after
      self.init(rawValue: groups.reduce(0) { $0 << 16 | UInt128($1) })
    }

    /// The text form of RFC 5952, for example `fd00::1`; IPv4-mapped addresses end in dotted decimal.
    public var description: String {
      if let mappedV4 { return "::ffff:\(mappedV4)" }
      let groups = (0..<8).map { UInt16(truncatingIfNeeded: rawValue >> (112 - 16 * $0)) }
      let gap = Self.longestZeroRun(in: groups)
      func text(_ range: Range<Int>) -> String {
        groups[range].map { String($0, radix: 16) }.joined(separator: ":")
      }
      guard let gap else { return text(0..<8) }
      return "\(text(0..<gap.lowerBound))::\(text(gap.upperBound..<8))"
    }

    private static func group(_ digits: ArraySlice<UInt8>) -> UInt16? {
      guard (1...4).contains(digits.count) else { return nil }
      var value: UInt16 = 0
      for digit in digits {
        guard let number = Character(UnicodeScalar(digit)).hexDigitValue else { return nil }
        value = value << 4 | UInt16(number)
      }
      return value
    }

    /// Returns the first of the longest runs of at least two zero groups, which `::` replaces.
    private static func longestZeroRun(in groups: [UInt16]) -> Range<Int>? {
      var best: Range<Int>?
      var start: Int?
      for index in 0...groups.count {
        if index < groups.count, groups[index] == 0 {
          start = start ?? index
        } else if let first = start {
          if index - first > max(best?.count ?? 0, 1) { best = first..<index }
          start = nil
        }
      }
      return best
    }
  }
}
