extension String {
  /// Returns the text, followed by spaces up to the width of a column.
  package func padded(to width: Int) -> String {
    let missing = width - (isPrintableASCII ? utf8.count : count)
    return missing > 0 ? self + String(repeating: " ", count: missing) : self
  }
}
