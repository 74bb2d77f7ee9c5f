extension FixedWidthInteger {
  /// Reads a number that consists of decimal digits only; unlike `init(_:)`, it rejects a sign.
  package init?(digits text: some StringProtocol) {
    guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return nil }
    self.init(text)
  }
}
