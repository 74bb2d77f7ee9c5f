import Dispatch
import Synchronization

/// A log of elements, in order; a test waits until there are enough.
final class Log<Element: Sendable>: Sendable {
  /// The wait timed out before there were enough elements.
  struct Late: Error {
    var elements: [Element]
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

  /// All elements so far.
  var elements: [Element] { state.withLock { $0.elements } }

  func append(_ element: Element) {
    let (elements, served) = state.withLock { state in
      state.elements.append(element)
      return (state.elements, state.takeServed())
    }
    for continuation in served { continuation.resume(returning: elements) }
  }

  /// Waits until there are so many elements, for ten seconds at most, and returns all.
  @discardableResult
  func wait(for count: Int) async throws -> [Element] {
    try await wait { $0.count >= count }
  }

  /// Waits until the elements meet a condition, for some seconds at most, and returns all.
  @discardableResult
  func wait(
    seconds: Int = 60, until isEnough: @escaping @Sendable ([Element]) -> Bool
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
  func note() { append(()) }
}

/// An object that notes its release in a log.
final class Canary: Sendable {
  private let gone: Log<Void>

  init(_ gone: Log<Void>) { self.gone = gone }

  deinit { gone.note() }
}

/// A variable that several threads share.
final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  /// Changes the value and returns the old one, whose release must not happen under the lock.
  @discardableResult
  func set(_ value: Value) -> Value {
    state.withLock { state in
      defer { state = value }
      return state
    }
  }
}
