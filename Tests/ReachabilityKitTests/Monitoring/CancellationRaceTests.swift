// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import ReachabilityKit
import TestSupport
import Testing

/// Cancellations amid events at the highest rate.
@Suite(.serialized, .timeLimit(.minutes(10)), .deadline) struct CancellationRaceTests {
  private let queue = DispatchQueue(label: "test")

  /// How often a handler started after its cancellation had returned, and whether all received events before.
  private struct Late: Equatable {
    var roundOfSilence: Int?
    var worstRound = 0
    var total = 0
  }

  /// Cancels many observations, each amid many events.
  private func race(
    rounds: Int, _ cancel: @escaping @Sendable (ReachabilityObservation, _ isCancelled: Box<Bool>) -> Void
  ) async throws -> Late {
    let late = Log<Late>()
    // A separate thread, since this blocks.
    DispatchQueue(label: "race").async { [queue] in
      var sum = Late()
      for round in 0..<rounds {
        let monitor = ReachabilityMonitor(source: RestlessSource(last: 200))
        let isCancelled = Box(false)
        let starts = Log<Void>()
        let began = DispatchSemaphore(value: 0)
        let token = monitor.observe(.defaultRoute, on: queue) { _ in
          if isCancelled.value { starts.note() }
          began.signal()
        }
        // In one round of eight before the first event, otherwise amid many.
        if !round.isMultiple(of: 8), began.wait(timeout: .now() + 10) != .success {
          sum.roundOfSilence = round
          break
        }
        cancel(token, isCancelled)
        queue.sync {}
        sum.worstRound = max(sum.worstRound, starts.elements.count)
        sum.total += starts.elements.count
      }
      late.append(sum)
    }
    return try await late.wait { !$0.isEmpty }[0]
  }

  @Test func `no handler starts after a cancellation on its own queue`() async throws {
    let late = try await race(rounds: 200) { [queue] token, isCancelled in
      queue.sync {
        token.cancel()
        isCancelled.set(true)
      }
    }
    #expect(late == Late())
  }

  @Test func `after a cancellation on another thread no second handler starts`() async throws {
    let late = try await race(rounds: 300) { token, isCancelled in
      token.cancel()
      isCancelled.set(true)
    }
    #expect(late.worstRound <= 1)
  }

  @Test func `no handler starts after a cancellation on another thread`() async throws {
    let late = try await race(rounds: 1_500) { token, isCancelled in
      token.cancel()
      isCancelled.set(true)
    }
    #expect(late == Late())
  }
}
