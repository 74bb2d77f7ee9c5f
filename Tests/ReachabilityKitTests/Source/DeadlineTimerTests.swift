// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import Dispatch
import POSIX
import Testing

@Suite(.onOwnThreads, .deadline) struct `Calls and sleeps until a deadline` {
  private let queue = DispatchQueue(label: "test")

  /// An object whose lifetime shows whether a closure is kept.
  private final class Witness: Sendable {}

  @Test func `calls come in the order of their deadlines, and none before its own`() async {
    // Earlier ones are added later, so that they move the others back.
    let begin = ContinuousClock.now + .milliseconds(200)
    let delays = [60, 20, 40, 20, 0, -5, -1000].map { Duration.milliseconds($0) }
    let calls = AsyncStream<(Duration, ContinuousClock.Instant)> { stream in
      for delay in delays {
        DeadlineTimer.call(at: begin + delay, on: queue) { stream.yield((delay, .now)) }
      }
    }
    let areAddedInTime = ContinuousClock.now < begin - .milliseconds(5)
    var seen: [Duration] = []
    for await (delay, time) in calls.prefix(delays.count) {
      #expect(time >= begin + delay)
      seen.append(delay)
    }
    #expect((areAddedInTime ? seen : seen.sorted()) == delays.sorted())
  }

  @Test func `the closure of a cancelled call is released at once`() {
    // Also while the thread takes calls that are due.
    for _ in 0..<2000 {
      weak var witness: Witness?
      do {
        let object = Witness()
        witness = object
        let call = DeadlineTimer.call(at: .now + .seconds(3600), on: queue) {
          withExtendedLifetime(object) {}
        }
        DeadlineTimer.call(at: .now, on: queue) {}
        call.cancel()
        call.cancel()
      }
      guard witness == nil else {
        Issue.record("the closure is kept")
        return
      }
    }
  }

  @Test func `a cancelled sleep ends at once with an error`() async throws {
    let begin = ContinuousClock.now
    let task = Task { try await DeadlineTimer.sleep(until: begin + .seconds(3600)) }
    try await DeadlineTimer.sleep(until: begin + .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
    // Also one that is cancelled before it begins.
    let other = Task {
      unsafe withUnsafeCurrentTask { unsafe $0?.cancel() }
      try await DeadlineTimer.sleep(until: begin + .seconds(3600))
    }
    await #expect(throws: CancellationError.self) { try await other.value }
  }

  @Test func `a deadline beyond the limits of clocks is a long time`() async {
    let task = Task { try await DeadlineTimer.sleep(until: .now + .seconds(Int64.max / 4)) }
    try? await DeadlineTimer.sleep(until: .now + .milliseconds(20))
    task.cancel()
    await #expect(throws: CancellationError.self) { try await task.value }
  }

  @Test func `10,000 sleeps end, and none is left when they are cancelled`() async {
    weak var witness: Witness?
    do {
      let object = Witness()
      witness = object
      let begin = ContinuousClock.now
      await withTaskGroup(of: Void.self) { group in
        for number in 0..<10_000 {
          // Neither in the order of the deadlines nor against it; half of them are cancelled.
          let deadline =
            begin + .milliseconds(number * 7919 % 500) + .seconds(number.isMultiple(of: 2) ? 0 : 3600)
          group.addTask {
            try? await DeadlineTimer.sleep(until: deadline)
            withExtendedLifetime(object) {}
          }
        }
        for _ in 0..<5000 { await group.next() }
        group.cancelAll()
      }
    }
    #expect(witness == nil)
  }
}
#endif
