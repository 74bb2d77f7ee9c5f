extension String {
  /// Returns the text, followed by spaces up to the width of a column.
  package func padded(to width: Int) -> String {
    self + String(repeating: " ", count: max(width - count, 0))
  }
}
