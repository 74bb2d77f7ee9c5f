/// A mistake in a command line: what is wrong, and what to do.
package struct UsageError: Error, Equatable {
  package var problems: [String]
  package var hint: String

  /// Creates an error with one problem.
  package init(_ problem: String, hint: String) {
    self.init([problem], hint: hint)
  }

  /// Creates an error with several problems that share a hint.
  package init(_ problems: [String], hint: String) {
    self.problems = problems
    self.hint = hint
  }
}
