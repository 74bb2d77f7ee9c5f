#if os(Linux)
/// What came of the last answers, so that the same answer to the same question needs no second thought.
///
/// The kernel is still asked each time. What was worked out holds for as long as no table changed.
struct AnswerMemory: Sendable {
  // Looked at in its place: copying all of it would cost as much as it saves.
  private final class Entry: Sendable {
    let target: Target
    let answer: [UInt8]
    let evaluation: Evaluation

    init(target: Target, answer: [UInt8], evaluation: Evaluation) {
      self.target = target
      self.answer = answer
      self.evaluation = evaluation
    }
  }

  /// One place for each of several targets; who comes to a place that is taken takes it over.
  private var entries: [Entry?] = []
  private var isEmpty = true
  private var newAnswers: UInt8 = 0

  /// How many targets are remembered at most.
  private static var limit: Int { 64 }
  /// Of so many new answers one is remembered: it takes a while, which only a question that comes often is worth.
  private static var stride: UInt8 { 8 }

  /// The evaluation that an answer led to, if it is the one that the target got last.
  ///
  /// - Parameter isSame: Whether the answer is this one.
  func evaluation(of target: Target, _ address: IPAddress, isSame: ([UInt8]) -> Bool) -> Evaluation? {
    guard !isEmpty, let entry = entries[Self.place(of: address)], entry.target == target,
      isSame(entry.answer)
    else { return nil }
    return entry.evaluation
  }

  /// Returns whether a new answer is one to remember.
  mutating func wantsNewAnswer() -> Bool {
    newAnswers = (newAnswers + 1) % Self.stride
    return newAnswers == 0
  }

  mutating func remember(_ evaluation: Evaluation, of target: Target, _ address: IPAddress, _ answer: [UInt8])
  {
    if entries.isEmpty { entries = Array(repeating: nil, count: Self.limit) }
    entries[Self.place(of: address)] = Entry(target: target, answer: answer, evaluation: evaluation)
    isEmpty = false
  }

  mutating func forgetAll() {
    guard !isEmpty else { return }
    entries = []
    isEmpty = true
  }

  /// Neighbours have places of their own.
  private static func place(of address: IPAddress) -> Int {
    switch address {
    case .v4(let address): Int(truncatingIfNeeded: address.rawValue) & (limit - 1)
    case .v6(let address): Int(truncatingIfNeeded: address.rawValue) & (limit - 1)
    }
  }
}
#endif
