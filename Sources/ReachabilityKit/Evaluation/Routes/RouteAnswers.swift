/// The answers that an evaluation has so far.
package struct RouteAnswers: Sendable {
  private typealias Pair = (question: RouteQuestion, answer: RouteAnswer)

  // Most targets need one answer, which is stored inline.
  private var first: Pair?
  private var others: [Pair] = []

  package init() {}

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get {
      if let first, first.question == question { return first.answer }
      return others.first { $0.question == question }?.answer
    }
    set {
      guard let newValue else { return }
      if first.map({ $0.question == question }) ?? true {
        first = (question, newValue)
      } else if let position = others.firstIndex(where: { $0.question == question }) {
        others[position].answer = newValue
      } else {
        others.append((question, newValue))
      }
    }
  }
}
