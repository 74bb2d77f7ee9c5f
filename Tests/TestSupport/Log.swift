// SPDX-License-Identifier: Apache-2.0
import Dispatch
import Synchronization

/// A log of elements, in order; a test waits until there are enough.
package final class Log<Element: Sendable>: Sendable {
  /// The wait timed out before there were enough elements.
  package struct Late: Error {
    package var elements: [Element]
  }

  private typealias Continuation = CheckedContinuation<[Element], any Error>

  private struct State {
    var elements: [Element] = []
    var waiting: [Int: (isEnough: @Sendable ([Element]) -> Bool, continuation: Continuation)] = [:]
    var waits = 0

    mutating func takeServed() -> [Continuation] {
      let served = waiting.filter { $0.value.isEnough(elements) }
      for key in served.keys { waiting[key] = nil }
      return served.values.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  package init() {}

  /// All elements so far.
  package var elements: [Element] { state.withLock { $0.elements } }

  package func append(_ element: Element) {
    let (elements, served) = state.withLock { state in
      state.elements.append(element)
      return (state.elements, state.takeServed())
    }
    for continuation in served { continuation.resume(returning: elements) }
  }

  /// Waits until there are so many elements, for four minutes at most, and returns all.
  @discardableResult
  package func wait(for count: Int) async throws -> [Element] {
    try await wait { $0.count >= count }
  }

  /// Waits until the elements meet a condition, for some seconds at most, and returns all.
  ///
  /// All tests begin at once and share the two threads of the task pool. So beside a build, a test may wait for its turn
  /// longer than a minute.
  @discardableResult
  package func wait(
    seconds: Int = 240, until isEnough: @escaping @Sendable ([Element]) -> Bool
  ) async throws -> [Element] {
    try await withCheckedThrowingContinuation { continuation in
      let wait: Int? = state.withLock { state in
        guard !isEnough(state.elements) else { return nil }
        state.waits += 1
        state.waiting[state.waits] = (isEnough, continuation)
        return state.waits
      }
      guard let wait else { return continuation.resume(returning: elements) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(seconds)) { [weak self] in
        self?.giveUp(wait)
      }
    }
  }

  private func giveUp(_ wait: Int) {
    let late = state.withLock { state in
      state.waiting.removeValue(forKey: wait).map { ($0.continuation, Late(elements: state.elements)) }
    }
    guard let (continuation, error) = late else { return }
    continuation.resume(throwing: error)
  }
}

extension Log<Void> {
  /// Appends an element without content.
  package func note() { append(()) }
}
