/// The routing tables' answers about a path that are there so far.
package struct PathAnswers: Sendable {
  /// Apart for each interface, so that a search goes through a few answers whatever the number of interfaces.
  private var byInterface: [Int32: RouteAnswers] = [:]

  package init() {}

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get { byInterface[question.interface ?? 0]?[question] }
    set { byInterface[question.interface ?? 0, default: RouteAnswers()][question] = newValue }
  }

  /// The answers to questions about packets that are bound to an interface, or to none.
  func bound(to interface: Int32?) -> RouteAnswers {
    byInterface[interface ?? 0] ?? RouteAnswers()
  }
}
