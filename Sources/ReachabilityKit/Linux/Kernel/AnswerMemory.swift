#if os(Linux)
import Netlink

/// What came of the last answers, so that an answer that says the same of another destination, or of the same one
/// again, needs no second thought.
///
/// The kernel is still asked each time; this is for addresses without constraints, of which the answer alone tells the
/// status. What was worked out holds for as long as no table changed.
struct AnswerMemory: ~Copyable, Sendable {
  private var entries: [(route: KnownRoute, evaluation: Evaluation)] = []
  private var oldest = 0
  // Whoever compares statuses later is quicker with those that are the same in memory.
  private var statuses = StatusPool()
  private var newAnswers: UInt8 = 0

  /// How many routes are remembered at most: a machine has few ways out.
  private static var limit: Int { 4 }
  /// Of so many new answers one is remembered: where all are different, that would be work for nothing.
  private static var stride: UInt8 { 4 }

  /// What came of an answer, if it is one of the last.
  ///
  /// - Parameter isSame: Whether the answer is this route.
  func evaluation(where isSame: (KnownRoute) -> Bool) -> Evaluation? {
    for index in entries.indices where isSame(entries[index].route) { return entries[index].evaluation }
    return nil
  }

  /// Keeps what came of an answer.
  mutating func remember(_ evaluation: Evaluation, of route: KnownRoute) {
    // What becomes of packets to all, or to this machine, depends on the destination.
    guard route.kind == .unicast else { return }
    var evaluation = evaluation
    evaluation.status = statuses.shared(evaluation.status)
    if entries.count < Self.limit {
      entries.append((route, evaluation))
    } else {
      entries[oldest] = (route, evaluation)
      oldest = (oldest + 1) % Self.limit
    }
  }

  /// Returns whether a new answer is one to remember.
  mutating func wantsNewAnswer() -> Bool {
    guard entries.count == Self.limit else { return true }
    newAnswers = (newAnswers + 1) % Self.stride
    return newAnswers == 0
  }

  mutating func forgetAll() {
    if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
  }
}
#endif
