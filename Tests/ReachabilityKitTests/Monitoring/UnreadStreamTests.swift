// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// An unread stream, in a separate process, so that no other test's memory is measured.
@Suite(.timeLimit(.minutes(10)), .deadline) struct UnreadStreamTests {
  @Test(.onOwnThreads) func `unread streams use no memory for 40,000 changes and hold the newest status`()
    async
  {
    await #expect(processExitsWith: .success) {
      let target = ReachabilityTarget.address("10.9.0.1")
      let last = 40_000
      var before = 0
      // The first round makes the allocations that are kept.
      for round in 1...2 {
        let monitor = ReachabilityMonitor(source: RestlessSource(last: last))
        before = try ResidentMemory().own
        let unread = (0..<10).map { _ in monitor.events(of: target).makeAsyncIterator() }
        var unreadPaths = monitor.paths().makeAsyncIterator()
        var reader = monitor.events(of: target).makeAsyncIterator()
        while let event = await reader.next(isolation: #isolation), event.status != .number(last) {}
        // An earlier stream may receive the last status a moment later.
        for var stream in unread {
          var status = await stream.next(isolation: #isolation)?.status
          if status != .number(last) { status = await stream.next(isolation: #isolation)?.status }
          #expect(status == .number(last))
        }
        #expect(await unreadPaths.next(isolation: #isolation) != nil)
        let growth = try ResidentMemory().own - before
        if round == 2 { #expect(growth < 1 << 20, "\(growth) bytes") }
      }
    }
  }
}
#endif
