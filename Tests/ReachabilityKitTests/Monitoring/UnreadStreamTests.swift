#if os(Linux)
import DeadlineSupport
import Foundation
import Testing

@testable import ReachabilityKit

/// A stream that nobody reads, in a process of its own, whose memory is nobody else's.
@Suite(.timeLimit(.minutes(1)), .deadline) struct UnreadStreamTests {
  /// How many bytes of memory this process has in use.
  private static func residentBytes() throws -> Int {
    let numbers = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
    return try #require(Int(numbers[1])) * 4096
  }

  @Test func `streams that nobody reads take no memory for 100,000 changes, and have the newest`() async {
    await #expect(processExitsWith: .success) {
      let target = ReachabilityTarget.address("10.9.0.1")
      let last = 100_000
      var before = 0
      // The first round takes what memory it takes for good.
      for round in 1...2 {
        let monitor = ReachabilityMonitor(source: RestlessSource(last: last))
        before = try UnreadStreamTests.residentBytes()
        let unread = (0..<10).map { _ in monitor.statuses(of: target).makeAsyncIterator() }
        let unreadPaths = monitor.paths().makeAsyncIterator()
        let reader = monitor.statuses(of: target).makeAsyncIterator()
        while let event = await reader.next(), event.status != .number(last) {}
        // Whoever came first may be told a moment later.
        for stream in unread {
          var status = await stream.next()?.status
          if status != .number(last) { status = await stream.next()?.status }
          #expect(status == .number(last))
        }
        #expect(await unreadPaths.next() != nil)
        let growth = try UnreadStreamTests.residentBytes() - before
        if round == 2 { #expect(growth < 1 << 20, "\(growth) bytes") }
      }
    }
  }
}
#endif
