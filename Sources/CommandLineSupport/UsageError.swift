/// A mistake of the user: what was wrong, and what is accepted.
package struct UsageError: Error, Equatable {
  package var problems: [String]
  package var hint: String

  /// Makes an error of one problem.
  package init(_ problem: String, hint: String) {
    problems = [problem]
    self.hint = hint
  }
}
