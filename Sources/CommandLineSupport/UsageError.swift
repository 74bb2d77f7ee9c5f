/// A mistake of the user: what was wrong, and what is accepted.
package struct UsageError: Error, Equatable {
  package var problems: [String]
  package var hint: String

  /// Makes an error of one problem.
  package init(_ problem: String, hint: String) {
    self.init([problem], hint: hint)
  }

  /// Makes an error of several problems with one thing.
  package init(_ problems: [String], hint: String) {
    self.problems = problems
    self.hint = hint
  }
}
