/// Decides which of several addresses is tried when; the first connection ends it.
///
/// One attempt after the other is begun, the next when the one before has had its head start, or at once when one fails.
/// Moments are durations since the first attempt, so that no clock is needed. The source is RFC 8305, sections 4, 5 and 8.
struct HappyEyeballs: Sendable {
  typealias Outcome = ReachabilityConnectionReport.Attempt.Outcome

  /// What is known of one address.
  struct Attempt: Hashable, Sendable {
    var start: Duration?
    var duration: Duration = .zero
    /// `nil` while it is not known.
    var outcome: Outcome?
  }

  /// In the order in which they are tried.
  private(set) var attempts: [Attempt]
  /// When it was over; `nil` while it goes on.
  private(set) var end: Duration?
  private let delay: Duration
  private let timeout: Duration
  /// When the next attempt begins, if none fails before.
  private var nextStart: Duration = .zero
  private var nextPlace = 0
  private var runningCount = 0

  /// The least head start of an attempt; with less, a network is flooded.
  static var leastDelay: Duration { .milliseconds(10) }
  /// How many attempts go on at once at most, whatever number of addresses a name has: each is a descriptor.
  static var limit: Int { 16 }

  /// - Parameters:
  ///   - count: How many addresses there are.
  ///   - delay: The head start of each.
  ///   - timeout: When all is over, after the first attempt.
  init(count: Int, delay: Duration, timeout: Duration) {
    attempts = Array(repeating: Attempt(), count: count)
    self.delay = max(delay, Self.leastDelay)
    self.timeout = max(timeout, .zero)
    if count == 0 { end = .zero }
  }

  /// When ``advance(to:)`` should be called even if nothing happens; `nil` when all is over.
  var nextDeadline: Duration? {
    guard end == nil else { return nil }
    return canBeginMore ? min(nextStart, timeout) : timeout
  }

  private var canBeginMore: Bool { nextPlace < attempts.count && runningCount < Self.limit }

  /// Lets time pass.
  ///
  /// - Returns: The place of the attempt to begin now, or `nil` for none. Call again after one was begun: it may have failed at once.
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

  /// Takes the outcome of an attempt that goes on.
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

  /// Puts addresses into the order in which they are tried: the families take turns, beginning with that of the first.
  ///
  /// - Parameter families: Those of the addresses in the resolver's order, which is RFC 6724's.
  /// - Returns: The addresses' places.
  static func order(_ families: [IPAddress.Family]) -> [Int] {
    guard let first = families.first else { return [] }
    let ones = families.indices.filter { families[$0] == first }
    let others = families.indices.filter { families[$0] != first }
    let common = min(ones.count, others.count)
    return (0..<common).flatMap { [ones[$0], others[$0]] } + ones.dropFirst(common) + others.dropFirst(common)
  }
}
