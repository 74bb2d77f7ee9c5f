extension FixedWidthInteger {
  /// Reads a number of digits alone: no sign, as these would be taken for some.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    self.init(text)
  }
}
