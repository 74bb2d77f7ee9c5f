extension ClosedRange<Int> {
  /// Reads an HTTP status, or a range of them.
  init?(statusText text: String) {
    let numbers = text.split(separator: "-", omittingEmptySubsequences: false).map { part in
      part.count == 3 && part.allSatisfy { $0.isASCII && $0.isNumber } ? Int(part) ?? 0 : 0
    }
    guard let first = numbers.first, let last = numbers.last, numbers.count <= 2, first >= 100, first <= last
    else { return nil }
    self = first...last
  }
}
