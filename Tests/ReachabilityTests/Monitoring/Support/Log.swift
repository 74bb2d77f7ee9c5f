import Dispatch
import Synchronization

/// What happened, in order; a test waits until there is enough of it.
final class Log<Element: Sendable>: Sendable {
  /// The wait was over before there was enough.
  struct Late: Error {
    var wanted: Int
    var elements: [Element]
  }

  private typealias Continuation = CheckedContinuation<[Element], any Error>

  private struct State {
    var elements: [Element] = []
    var waiting: [Int: (count: Int, continuation: Continuation)] = [:]
    var waits = 0

    mutating func takeServed() -> [Continuation] {
      let served = waiting.filter { $0.value.count <= elements.count }
      for key in served.keys { waiting[key] = nil }
      return served.values.map(\.continuation)
    }
  }

  private let state = Mutex(State())

  /// All that happened so far.
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
    try await withCheckedThrowingContinuation { continuation in
      let wait: Int? = state.withLock { state in
        guard state.elements.count < count else { return nil }
        state.waits += 1
        state.waiting[state.waits] = (count, continuation)
        return state.waits
      }
      guard let wait else { return continuation.resume(returning: elements) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { [weak self] in
        self?.giveUp(wait)
      }
    }
  }

  private func giveUp(_ wait: Int) {
    let late = state.withLock { state in
      state.waiting.removeValue(forKey: wait).map { ($0.continuation, Late(wanted: $0.count, elements: state.elements)) }
    }
    guard let (continuation, error) = late else { return }
    continuation.resume(throwing: error)
  }
}

extension Log<Void> {
  /// Says that something happened.
  func note() { append(()) }
}

/// Tells a log when it goes.
final class Canary: Sendable {
  private let gone: Log<Void>

  init(_ gone: Log<Void>) { self.gone = gone }

  deinit { gone.note() }
}

/// A variable that several threads share.
final class Box<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value {
    get { state.withLock { $0 } }
    // The old value goes outside of the lock, since its end may come back here.
    set { _ = state.withLock { value in exchange(&value, with: newValue) } }
  }

  /// Changes the value and returns the new one.
  func update<Result: Sendable>(_ body: (inout Value) -> sending Result) -> Result {
    state.withLock { value in body(&value) }
  }
}

private func exchange<Value>(_ value: inout Value, with new: Value) -> Value {
  let old = value
  value = new
  return old
}
