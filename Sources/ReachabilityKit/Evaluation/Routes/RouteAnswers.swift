/// The answers that an evaluation has so far.
package struct RouteAnswers: Sendable {
  // Apart, so that a search copies no answer.
  private var questions: [RouteQuestion] = []
  private var answers: [RouteAnswer] = []

  package init() {}

  package subscript(question: RouteQuestion) -> RouteAnswer? {
    get { position(of: question).map { answers[$0] } }
    set {
      guard let newValue else { return }
      if let position = position(of: question) {
        answers[position] = newValue
      } else {
        if questions.isEmpty { reserve(4) }
        questions.append(question)
        answers.append(newValue)
      }
    }
  }

  private mutating func reserve(_ count: Int) {
    questions.reserveCapacity(count)
    answers.reserveCapacity(count)
  }

  private func position(of question: RouteQuestion) -> Int? {
    // There are a few; all but two or three differ in the destination or the form.
    questions.firstIndex { $0.isExact == question.isExact && $0 == question }
  }
}
