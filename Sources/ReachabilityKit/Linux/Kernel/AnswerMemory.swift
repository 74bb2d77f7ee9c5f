#if os(Linux)
import Netlink

/// The evaluations of recent answers, for the same answers of the kernel again.
///
/// The kernel is still queried each time. An evaluation follows from the answers and the tables, so a change of any
/// table clears the memory. The benchmark rows `lookup`, `latency` and `reask` show what it saves.
struct AnswerMemory: ~Copyable, Sendable {
  /// A target; or all addresses of a family that take one question, whose status follows from one answer.
  struct Subject: Equatable, Sendable {
    private let target: ReachabilityTarget?
    private let isWatched: Bool
    /// The size of the addresses, or 0 for a target.
    private let bitWidth: Int

    init(_ target: ReachabilityTarget, isWatched: Bool) {
      (self.target, self.isWatched, bitWidth) = (target, isWatched, 0)
    }

    /// Returns `nil` for multicasts, broadcasts and loopback addresses.
    ///
    /// Where one next hop serves both, the kernel answers for the first two as for unicasts, but sockets look up again.
    /// A route over the loopback interface discards packets for all but loopback addresses.
    init?(_ question: RouteQuestion) {
      if question.destination.isGroupOrBroadcast || question.destination.isLoopback { return nil }
      (target, isWatched, bitWidth) = (nil, false, question.destination.bitWidth)
    }

    static func == (one: Subject, other: Subject) -> Bool {
      one.bitWidth == other.bitWidth
        && (one.bitWidth != 0 || one.isWatched == other.isWatched && one.target == other.target)
    }
  }

  /// A question and its answer.
  struct Step: Sendable {
    let question: RouteQuestion
    let known: KnownAnswer
    let answer: RouteAnswer
  }

  /// All questions that a subject took, in their order, and the evaluation.
  struct Course: Sendable {
    let subject: Subject
    let steps: [Step]
    let evaluation: Evaluation
  }

  private(set) var courses: [Course] = []
  private var oldest = 0
  private var newCourses: UInt8 = 0
  /// The steps so far of a course to remember.
  private var record: [Step]?
  // Equal statuses compare faster if they share storage.
  private var statuses = StatusPool()

  /// Most machines have few next hops.
  private static var limit: Int { 8 }
  /// The number of new courses of which one is remembered: where all differ, remembering is wasted.
  private static var stride: UInt8 { 4 }

  /// Returns the place of a course of a subject that begins as the one at another place, and then goes on as wanted.
  ///
  /// - Parameter isWanted: Whether this is the answer at the step.
  func course(
    of subject: Subject, like place: Int = 0, at step: Int = 0, where isWanted: (KnownAnswer) -> Bool
  ) -> Int? {
    // By index, which copies no course.
    for other in courses.indices where courses[other].subject == subject && courses[other].steps.count > step
    {
      guard isWanted(courses[other].steps[step].known) else { continue }
      if (0..<step).allSatisfy({ courses[other].steps[$0].known == courses[place].steps[$0].known }) {
        return other
      }
    }
    return nil
  }

  /// Stores the evaluation of the only answer to a question.
  mutating func remember(
    _ evaluation: Evaluation, of question: RouteQuestion, _ answer: RouteAnswer, known: () -> KnownAnswer?
  ) {
    // For packets to this machine, and without a route, the status depends on the destination.
    guard evaluation.status.isRefused || answer.isUnicast, let subject = Subject(question), wantsMore(),
      let known = known()
    else { return }
    append(subject, [Step(question: question, known: known, answer: answer)], evaluation: evaluation)
  }

  /// Begins to record the steps of a course.
  mutating func startRecord() { record = [] }

  /// Adds a step to a record; ends it without the answer's bytes.
  mutating func note(_ question: RouteQuestion, _ answer: RouteAnswer, known: () -> KnownAnswer?) {
    guard let steps = record.take(), let known = known() else { return }
    record = steps + [Step(question: question, known: known, answer: answer)]
  }

  /// Ends a record, and stores it if it is complete.
  mutating func endRecord(of subject: Subject, _ evaluation: Evaluation?) {
    // A lifetime is shorter the next time. An unknown status may be due to something else than the answers.
    guard let steps = record.take(), !steps.isEmpty, let evaluation, evaluation.lifetime == nil,
      evaluation.status.state != .unknown, wantsMore()
    else { return }
    append(subject, steps, evaluation: evaluation)
  }

  /// Counts a new course; returns whether to remember it.
  private mutating func wantsMore() -> Bool {
    guard courses.count == Self.limit else { return true }
    newCourses = (newCourses + 1) % Self.stride
    return newCourses == 0
  }

  private mutating func append(_ subject: Subject, _ steps: [Step], evaluation: Evaluation) {
    var evaluation = evaluation
    evaluation.status = statuses.shared(evaluation.status)
    let course = Course(subject: subject, steps: steps, evaluation: evaluation)
    if courses.count < Self.limit {
      courses.append(course)
    } else {
      courses[oldest] = course
      oldest = (oldest + 1) % Self.limit
    }
  }

  mutating func forgetAll() {
    record = nil
    if !courses.isEmpty { courses.removeAll(keepingCapacity: true) }
  }
}
#endif
