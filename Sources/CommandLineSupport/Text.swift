extension [String] {
  /// The texts as a list in a sentence, such as `a, b and c`.
  package func inWords(_ conjunction: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}

extension String {
  /// The text with as many spaces behind it as it takes to fill a column.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
