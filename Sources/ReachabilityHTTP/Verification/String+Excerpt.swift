extension String {
  /// The first 80 characters of a text from outside.
  package var excerpt: String { unicodeScalars.count > 80 ? String(unicodeScalars.prefix(80)) + "…" : self }
}
