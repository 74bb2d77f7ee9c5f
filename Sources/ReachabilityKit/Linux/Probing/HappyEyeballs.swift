// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX
#endif

/// The schedule of connection attempts to several addresses; the first connection ends it.
///
/// The next attempt starts when the previous one has had its head start, or as soon as one fails. Times are durations since the
/// first attempt, so no clock is needed. The source is RFC 8305, sections 4, 5 and 8.
struct HappyEyeballs: Sendable {
  typealias Outcome = ReachabilityConnectionReport.Attempt.Outcome

  /// The state of one address.
  struct Attempt: Equatable, Sendable {
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
  static func order(_ families: [ReachabilityAddress.Family]) -> [Int] {
    guard let first = families.first else { return [] }
    let ones = families.indices.filter { families[$0] == first }
    let others = families.indices.filter { families[$0] != first }
    let common = min(ones.count, others.count)
    return (0..<common).flatMap { [ones[$0], others[$0]] } + ones.dropFirst(common) + others.dropFirst(common)
  }
}

#if os(Linux)
extension ConnectionPlan {
  /// Connects to the addresses until one succeeds, all have failed, the time is over or an interruption; blocks until then.
  ///
  /// All sockets are closed when it returns.
  ///
  /// - Parameter interfaces: The indexes of the targets' interfaces.
  /// - Returns: The outcome of each attempt, the total duration, and the size of a full packet of the connection.
  func run(
    _ interruption: Interruption, _ interfaces: [UInt32?]
  ) -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration, fullPacket: Int?) {
    let begin = Moment.now
    var now: Duration { begin.duration(to: .now) }
    var eyeballs = HappyEyeballs(count: targets.count, delay: attemptDelay, timeout: timeout)
    var sockets: [Int: ProbeSocket] = [:]
    var reporters: [Int: ReachabilityAddress] = [:]
    var fullPacket: Int?
    while !interruption.isInterrupted {
      while let place = eyeballs.advance(to: now) {
        do throws(Errno) {
          sockets[place] = try ProbeSocket(
            .stream, to: targets[place].target, targets[place].address, port: port,
            interface: interfaces[place])
        } catch {
          eyeballs.take(.init(error), of: place, at: now)
        }
      }
      guard let deadline = eyeballs.nextDeadline else { break }
      for place in interruption.wait(for: sockets, forInput: false, deadline - now) {
        guard let socket = sockets.removeValue(forKey: place) else { continue }
        if let failure = socket.failure {
          reporters[place] = socket.reporter
          eyeballs.take(.init(failure), of: place, at: now)
        } else {
          eyeballs.take(.connected, of: place, at: now)
          fullPacket = fullPacket ?? socket.segments?.fullPacket
        }
      }
    }
    let attempts = eyeballs.attempts.enumerated().map { place, attempt in
      ReachabilityConnectionReport.Attempt(
        targets[place].address, interface: targets[place].target.interface, start: attempt.start,
        duration: attempt.duration, outcome: attempt.outcome ?? .notTried, reporter: reporters[place],
        isStoppedHere: sockets[place]?.segments?.isHeldBack == true)
    }
    return (attempts, eyeballs.end ?? .zero, fullPacket)
  }

  /// The time in which a refusal is repeated: the kernel repeats its first segment after a second.
  private static var repetitionTime: Duration { .milliseconds(1500) }

  /// Returns the time left to repeat a refusal, or `nil` if it is too short to tell silence from a slow answer.
  func repetitionTime(of attempt: ReachabilityConnectionReport.Attempt, after duration: Duration) -> Duration?
  {
    let time = min(Self.repetitionTime, timeout - duration)
    return time < max(.milliseconds(100), attempt.duration * 4) ? nil : time
  }

  /// Finds the refusals that this machine itself sends, for example by a rule of its firewall.
  ///
  /// Connects twice more to each address. The second socket drops what arrives by the loopback interface, so that it
  /// receives refusals from a link only. A refusal that comes again, but not to that socket, is this machine's.
  ///
  /// - Parameters:
  ///   - places: The places of the targets that refused without an ICMP message.
  ///   - interfaces: The indexes of the targets' interfaces.
  ///   - time: The time limit.
  /// - Returns: The places of those whose refusal is this machine's.
  func ownRefusals(
    _ places: [Int], _ interruption: Interruption, interfaces: [UInt32?], within time: Duration
  )
    -> Set<Int>
  {
    let end = Moment.now.advanced(by: time)
    // The plain socket of a place has the even number.
    var sockets: [Int: ProbeSocket] = [:]
    var open = Set(places)
    var refused: Set<Int> = []
    for place in places {
      for (number, filter) in [(2 * place, nil), (2 * place + 1, SocketFilter.withoutLoopback)] {
        sockets[number] = try? ProbeSocket(
          .stream, to: targets[place].target, targets[place].address, port: port,
          interface: interfaces[place], filter: filter)
        // Without both nothing can be compared.
        if sockets[number] == nil { open.remove(place) }
      }
    }
    while !open.isEmpty, !interruption.isInterrupted {
      let left = Moment.now.duration(to: end)
      guard left > .zero else { break }
      for number in interruption.wait(for: sockets, forInput: false, left) {
        let socket = sockets.removeValue(forKey: number)
        if number.isMultiple(of: 2), socket?.failure?.rawValue == ECONNREFUSED {
          refused.insert(number / 2)
        } else {
          open.remove(number / 2)
        }
      }
    }
    return open.intersection(refused)
  }
}

extension ReachabilityConnectionReport.Attempt.Outcome {
  fileprivate init(_ error: Errno) {
    switch error.rawValue {
    case ECONNREFUSED: self = .refused
    case ETIMEDOUT: self = .timedOut
    default: self = .failed(errorNumber: error.rawValue)
    }
  }
}
#endif
