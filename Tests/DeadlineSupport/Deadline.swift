import Dispatch
import Foundation
import Synchronization
import Testing

/// Ends the process with a failure that names the unfinished tests, once no test has begun or ended for two minutes.
///
/// `.timeLimit` cancels a test's task, which does not end a test that blocks its thread or ignores the cancellation. Time in
/// which other tests begin or end does not count, since tests wait for each other's threads. The environment variable
/// `TEST_DEADLINE` sets another number of seconds.
package struct Deadline: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    try await Self.watch("\(test.name) at \(test.sourceLocation)", function)
  }

  /// Runs what may hang, under the name that a failure tells.
  package static func watch(_ name: String, _ body: @concurrent @Sendable () async throws -> Void)
    async throws
  {
    let number = Watchdog.shared.begin(name)
    defer { Watchdog.shared.end(number) }
    try await body()
  }
}

extension Trait where Self == Deadline {
  /// Ends a hang as a failure with the test's name.
  package static var deadline: Self { Deadline() }
}

private final class Watchdog: Sendable {
  static let shared = Watchdog()

  private struct State {
    /// How many tests have begun or ended.
    var eventCount = 0
    /// The tests that have begun and not ended, by the number of their beginning.
    var unfinished: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let queue = DispatchQueue(label: "deadline")
  private let seconds = ProcessInfo.processInfo.environment["TEST_DEADLINE"].flatMap { Int($0) } ?? 120

  func begin(_ name: String) -> Int { note { $0.unfinished[$0.eventCount] = name } }

  func end(_ number: Int) { note { $0.unfinished[number] = nil } }

  @discardableResult
  private func note(_ change: (inout State) -> Void) -> Int {
    let count = state.withLock { state in
      state.eventCount += 1
      change(&state)
      return state.eventCount
    }
    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { self.check(count) }
    return count
  }

  /// Ends the process if nothing has happened since an event, and a test has not ended.
  private func check(_ count: Int) {
    let unfinished = state.withLock { $0.eventCount == count ? $0.unfinished : [:] }
    guard !unfinished.isEmpty else { return }
    let names = unfinished.sorted { $0.key < $1.key }.map { "✘ Test \($0.value) did not end.\n" }
    let text = names.joined() + "error: no test began or ended for \(seconds) seconds\n"
    FileHandle.standardError.write(Data(text.utf8))
    _exit(1)
  }
}
