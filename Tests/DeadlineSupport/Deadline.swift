// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Foundation
import Synchronization
import Testing

/// Fails the process and names the unfinished tests if no test has begun or ended for two minutes.
///
/// `.timeLimit` cancels a test's task, which does not end a test that blocks its thread or ignores the cancellation.
/// While other tests begin or end the time does not count, since tests wait for each other's threads. The environment
/// variable `TEST_DEADLINE` sets another number of seconds.
package struct Deadline: SuiteTrait, TestTrait, TestScoping {
  package var isRecursive: Bool { true }

  package func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? { testCase == nil ? nil : self }

  package func provideScope(
    for test: Test, testCase: Test.Case?, performing function: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let name = "\(test.name) at \(test.sourceLocation)"
    if test.isSuite { return try await Self.watch(name, function) }
    await Turns.shared.begin()
    defer { Turns.shared.end() }
    try await Self.watch(name, function)
  }

  /// Runs a closure under the deadline; a failure contains the given name.
  package static func watch(_ name: String, _ body: @concurrent @Sendable () async throws -> Void)
    async throws
  {
    let number = Watchdog.shared.begin(name)
    defer { Watchdog.shared.end(number) }
    try await body()
  }
}

extension Trait where Self == Deadline {
  /// A trait that turns a hang into a failure with the test's name.
  package static var deadline: Self { Deadline() }
}

/// Lets some tests begin at once, and each further one when another ends.
///
/// Otherwise all of them begin together, and a task, of which a test waits for the end, comes after all other tests in the task
/// pool: minutes later.
private final class Turns: Sendable {
  static let shared = Turns()

  private struct State {
    var free = 24
    var waiting: [CheckedContinuation<Void, Never>] = []
  }

  private let state = Mutex(State())

  func begin() async {
    await withCheckedContinuation { continuation in
      let isFree = state.withLock { state in
        guard state.free > 0 else {
          state.waiting.append(continuation)
          return false
        }
        state.free -= 1
        return true
      }
      if isFree { continuation.resume() }
    }
  }

  func end() {
    let next = state.withLock { state in
      if state.waiting.isEmpty {
        state.free += 1
        return nil as CheckedContinuation<Void, Never>?
      }
      return state.waiting.removeFirst()
    }
    next?.resume()
  }
}

private final class Watchdog: Sendable {
  static let shared = Watchdog()

  private struct State {
    /// The number of tests that have begun or ended.
    var eventCount = 0
    /// The unfinished tests, by the event number of their beginning.
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

  /// Ends the process if no event has followed the given one and a test is unfinished.
  private func check(_ count: Int) {
    let unfinished = state.withLock { $0.eventCount == count ? $0.unfinished : [:] }
    guard !unfinished.isEmpty else { return }
    let names = unfinished.sorted { $0.key < $1.key }.map { "✘ Test \($0.value) did not end.\n" }
    let text = names.joined() + "error: no test began or ended for \(seconds) seconds\n"
    FileHandle.standardError.write(Data(text.utf8))
    _exit(1)
  }
}
