#if os(Linux)
import CLibrary
import Netlink
import POSIX

extension ConnectionPlan {
  /// Connects to the addresses until one succeeds, all have failed, the time is over or an interruption; blocks until then.
  ///
  /// All sockets are closed when it returns.
  ///
  /// - Parameter interfaces: The indexes of the targets' interfaces.
  /// - Returns: The outcome of each attempt, and the total duration.
  func run(
    _ interruption: Interruption, _ interfaces: [UInt32?]
  ) -> (attempts: [ReachabilityConnectionReport.Attempt], duration: Duration) {
    let clock = SuspendingClock()
    let begin = clock.now
    var now: Duration { begin.duration(to: clock.now) }
    var eyeballs = HappyEyeballs(count: targets.count, delay: attemptDelay, timeout: timeout)
    var sockets: [Int: ProbeSocket] = [:]
    var reporters: [Int: IPAddress] = [:]
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
        }
      }
    }
    let attempts = eyeballs.attempts.enumerated().map { place, attempt in
      ReachabilityConnectionReport.Attempt(
        targets[place].address, interface: targets[place].target.interface, start: attempt.start,
        duration: attempt.duration, outcome: attempt.outcome ?? .notTried, reporter: reporters[place])
    }
    return (attempts, eyeballs.end ?? .zero)
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
    _ places: [Int], _ interruption: Interruption, _ interfaces: [UInt32?], within time: Duration
  )
    -> Set<Int>
  {
    let clock = SuspendingClock()
    let end = clock.now.advanced(by: time)
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
      let left = clock.now.duration(to: end)
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
