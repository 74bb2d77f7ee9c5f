#if os(Linux)
import Netlink

/// The evaluations of recent routes, for answers that name one of these routes again, for whichever destination.
///
/// The kernel is still queried each time. Only addresses without constraints qualify, whose status follows from one
/// answer. A change of any table clears the memory. The benchmark rows `lookup` and `reask` show what it saves.
struct AnswerMemory: ~Copyable, Sendable {
  private var entries: [(route: KnownRoute, evaluation: Evaluation)] = []
  private var oldest = 0
  // Equal statuses compare faster if they share storage.
  private var statuses = StatusPool()
  private var newAnswers: UInt8 = 0

  /// The capacity in routes: most machines have few next hops.
  private static var limit: Int { 4 }
  /// The number of new answers of which one is remembered: where all differ, remembering is wasted.
  private static var stride: UInt8 { 4 }

  /// Returns the evaluation of the remembered route that an answer names.
  ///
  /// - Parameter isSame: Whether the answer names this route.
  func evaluation(where isSame: (KnownRoute) -> Bool) -> Evaluation? {
    for index in entries.indices where isSame(entries[index].route) { return entries[index].evaluation }
    return nil
  }

  /// Stores the evaluation of a route.
  mutating func remember(_ evaluation: Evaluation, of route: KnownRoute) {
    // For broadcasts, and for packets to this machine, the status depends on the destination.
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

  /// Counts a new answer; returns whether to remember it.
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
