/// The schedule of connection attempts to several addresses; the first connection ends it.
///
/// The next attempt starts when the previous one has had its head start, or as soon as one fails. Times are durations since the
/// first attempt, so no clock is needed. The source is RFC 8305, sections 4, 5 and 8.
struct HappyEyeballs: Sendable {
  typealias Outcome = ReachabilityConnectionReport.Attempt.Outcome

  /// The state of one address.
  struct Attempt: Hashable, Sendable {
    var start: Duration?
    var duration: Duration = .zero
    /// `nil` while the attempt runs.
    var outcome: Outcome?
  }

  /// The attempts, in order.
  private(set) var attempts: [Attempt]
  /// The end of the last attempt; `nil` while one may still start or run.
  private(set) var end: Duration?
  private let delay: Duration
  private let timeout: Duration
  /// The start of the next attempt, unless one fails before.
  private var nextStart: Duration = .zero
  private var nextPlace = 0
  private var runningCount = 0

  /// The shortest head start, so that a network is not flooded.
  static var leastDelay: Duration { .milliseconds(10) }
  /// The maximum number of concurrent attempts; each holds a descriptor.
  static var limit: Int { 16 }

  /// - Parameters:
  ///   - count: The number of addresses.
  ///   - delay: The head start of each attempt.
  ///   - timeout: The time limit of all attempts together.
  init(count: Int, delay: Duration, timeout: Duration) {
    attempts = Array(repeating: Attempt(), count: count)
    self.delay = max(delay, Self.leastDelay)
    self.timeout = max(timeout, .zero)
    if count == 0 { end = .zero }
  }

  /// The time of the next call of ``advance(to:)`` if no outcome comes before; `nil` at the end.
  var nextDeadline: Duration? {
    guard end == nil else { return nil }
    return canBeginMore ? min(nextStart, timeout) : timeout
  }

  private var canBeginMore: Bool { nextPlace < attempts.count && runningCount < Self.limit }

  /// Advances the time.
  ///
  /// - Returns: The place of the attempt to begin now, or `nil` for none. Call again after each start, which may fail immediately.
  mutating func advance(to now: Duration) -> Int? {
    guard end == nil else { return nil }
    guard now < timeout else {
      finish(at: now, unanswered: .timedOut)
      return nil
    }
    guard canBeginMore, nextStart <= now else { return nil }
    let place = nextPlace
    attempts[place].start = now
    nextPlace += 1
    runningCount += 1
    nextStart = now + delay
    return place
  }

  /// Records the outcome of a running attempt.
  mutating func take(_ outcome: Outcome, of place: Int, at now: Duration) {
    guard end == nil, attempts[place].outcome == nil, let start = attempts[place].start else { return }
    attempts[place].outcome = outcome
    attempts[place].duration = now - start
    runningCount -= 1
    if outcome == .connected {
      finish(at: now, unanswered: .abandoned)
    } else if runningCount == 0, nextPlace == attempts.count {
      end = now
    } else {
      nextStart = now
    }
  }

  private mutating func finish(at now: Duration, unanswered: Outcome) {
    end = now
    for place in attempts.indices where attempts[place].outcome == nil {
      guard let start = attempts[place].start else {
        attempts[place].outcome = .notTried
        continue
      }
      attempts[place].outcome = unanswered
      attempts[place].duration = now - start
    }
  }

  /// Returns the order of attempts: the families alternate, starting with that of the first address.
  ///
  /// - Parameter families: The families of the addresses in the resolver's order, which is that of RFC 6724.
  /// - Returns: The places of the addresses.
  static func order(_ families: [IPAddress.Family]) -> [Int] {
    guard let first = families.first else { return [] }
    let ones = families.indices.filter { families[$0] == first }
    let others = families.indices.filter { families[$0] != first }
    let common = min(ones.count, others.count)
    return (0..<common).flatMap { [ones[$0], others[$0]] } + ones.dropFirst(common) + others.dropFirst(common)
  }
}
