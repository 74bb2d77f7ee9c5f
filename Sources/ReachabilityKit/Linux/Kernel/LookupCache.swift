// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// A question that is asked again and again, as it was encoded.
final class EncodedRequest: Sendable {
  let question: RouteRequest
  /// The query for packets of the process's real user.
  private let payload: [UInt8]

  init(_ question: RouteRequest) {
    self.question = question
    payload = question.completed(for: nil).payload
  }

  /// Appends the query for packets of a user; `nil` stands for the process's real user.
  func encode(for user: UInt32?, into encoder: inout MessageEncoder) {
    if let user {
      question.completed(for: user).encode(into: &encoder)
    } else {
      encoder.append(bytes: payload)
    }
  }
}

/// The evaluations of recent answers, for the same answers of the kernel again.
///
/// The kernel is still queried each time. An evaluation follows from the answers and the tables, so a change of any
/// table clears the cache. The benchmark rows `lookup`, `latency` and `reask` show what it saves.
struct LookupCache: ~Copyable, Sendable {
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
    init?(_ question: RouteRequest) {
      if question.destination.isGroupOrBroadcast || question.destination.isLoopback { return nil }
      (target, isWatched, bitWidth) = (nil, false, question.destination.bitWidth)
    }

    static func == (one: Subject, other: Subject) -> Bool {
      one.bitWidth == other.bitWidth
        && (one.bitWidth != 0 || one.isWatched == other.isWatched && one.target == other.target)
    }
  }

  /// A question and its answer, which are too large to be copied.
  final class Lookup: Sendable {
    let request: EncodedRequest
    let known: KnownAnswer
    let answer: RouteAnswer
    let nextHops: [NextHopWatch.NextHop]

    init(_ question: RouteRequest, known: KnownAnswer, answer: RouteAnswer) {
      (request, self.known, self.answer) = (EncodedRequest(question), known, answer)
      nextHops = answer.nextHops
    }

    /// Whether the kernel answers the same again.
    func isAnswered(by message: Message, in bytes: RawSpan) -> Bool { known.isSame(as: message, of: bytes) }
  }

  /// All questions that a subject took, in their order, and the evaluation.
  struct Entry: Sendable {
    let subject: Subject
    let lookups: [Lookup]
    let evaluation: Evaluation
  }

  private(set) var entries: [Entry] = []
  private var oldest = 0
  private var newEntries: UInt8 = 0
  /// The lookups so far of an entry to store.
  private var recording: [Lookup]?
  // Equal statuses compare faster if they share storage.
  private var statuses = StatusPool()

  /// Most machines have few next hops.
  private static var limit: Int { 8 }
  /// The number of new entries of which one is stored: where all differ, storing is wasted.
  private static var stride: UInt8 { 4 }

  /// Returns the place of an entry of a subject that begins as the one at another place, and then goes on as wanted.
  ///
  /// - Parameter isWanted: Whether this is the answer at the step.
  func entry(
    of subject: Subject, like place: Int = 0, at step: Int = 0, where isWanted: (Lookup) -> Bool
  ) -> Int? {
    // By index, which copies no entry.
    for other in entries.indices
    where entries[other].subject == subject && entries[other].lookups.count > step {
      guard isWanted(entries[other].lookups[step]) else { continue }
      if (0..<step).allSatisfy({ entries[other].lookups[$0].known == entries[place].lookups[$0].known }) {
        return other
      }
    }
    return nil
  }

  /// Returns the evaluation of a remembered answer to the sole question about a target, with its lookup; `nil` if it is new.
  func evaluation(
    of answer: Message, in bytes: RawSpan, to question: RouteRequest
  ) -> (lookup: Lookup, evaluation: Evaluation)? {
    guard let subject = Subject(question),
      let place = entry(of: subject, where: { $0.isAnswered(by: answer, in: bytes) })
    else { return nil }
    return (entries[place].lookups[0], entries[place].evaluation)
  }

  /// Stores the evaluation of the only answer to a question.
  mutating func store(
    _ evaluation: Evaluation, of question: RouteRequest, _ answer: RouteAnswer,
    known: () -> KnownAnswer?
  ) {
    // For packets to this machine, and without a route, the status depends on the destination.
    guard evaluation.status.isRefused || answer.isUnicast, let subject = Subject(question),
      shouldStore(),
      let known = known()
    else { return }
    append(
      subject, [Lookup(question, known: known, answer: answer)], evaluation: evaluation)
  }

  /// Begins to record the lookups of an entry.
  mutating func beginRecording() { recording = [] }

  /// Adds a lookup to a recording; ends it without the answer's bytes.
  mutating func record(
    _ question: RouteRequest, _ answer: RouteAnswer, known: () -> KnownAnswer?
  ) {
    guard let lookups = recording.take(), let known = known() else { return }
    recording = lookups + [Lookup(question, known: known, answer: answer)]
  }

  /// Ends a recording, and stores it if it is complete.
  mutating func endRecording(of subject: Subject, _ evaluation: Evaluation?) {
    // A lifetime is shorter the next time. An unknown status may be due to something else than the answers.
    guard let lookups = recording.take(), !lookups.isEmpty, let evaluation,
      evaluation.lifetime == nil,
      evaluation.status.state != .unknown, shouldStore()
    else { return }
    append(subject, lookups, evaluation: evaluation)
  }

  /// Counts a new entry; returns whether to store it.
  private mutating func shouldStore() -> Bool {
    guard entries.count == Self.limit else { return true }
    newEntries = (newEntries + 1) % Self.stride
    return newEntries == 0
  }

  private mutating func append(_ subject: Subject, _ lookups: [Lookup], evaluation: Evaluation) {
    var evaluation = evaluation
    evaluation.status = statuses.shared(evaluation.status)
    let entry = Entry(subject: subject, lookups: lookups, evaluation: evaluation)
    if entries.count < Self.limit {
      entries.append(entry)
    } else {
      entries[oldest] = entry
      oldest = (oldest + 1) % Self.limit
    }
  }

  mutating func removeAll() {
    recording = nil
    if !entries.isEmpty { entries.removeAll(keepingCapacity: true) }
  }
}
#endif
