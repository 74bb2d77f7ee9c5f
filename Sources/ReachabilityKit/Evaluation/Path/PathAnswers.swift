/// The answers of the routing tables that a path evaluation has so far.
package struct PathAnswers: Sendable {
  /// Separate for each interface, so that a search visits few answers however many interfaces there are.
  private var byInterface: [Int32: RouteAnswers] = [:]
  /// The answers about the packets of tunnels.
  private(set) var tunnels = RouteAnswers()

  package init() {}

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get { question.isOfTunnel ? tunnels[question] : byInterface[question.interface ?? 0]?[question] }
    set {
      if question.isOfTunnel {
        tunnels[question] = newValue
      } else {
        byInterface[question.interface ?? 0, default: RouteAnswers()][question] = newValue
      }
    }
  }

  /// Returns the answers about packets that are bound to an interface, or to none.
  func bound(to interface: Int32?) -> RouteAnswers {
    byInterface[interface ?? 0] ?? RouteAnswers()
  }
}
