extension Array<String> {
  /// The texts as a list in a sentence, for example `a, b and c`.
  package func inWords(_ conjunction: String) -> String {
    guard let last, count > 1 else { return first ?? "" }
    return "\(dropLast().joined(separator: ", ")) \(conjunction) \(last)"
  }
}
