import Dispatch
import Synchronization

/// The events of a test, in order, with a wait for a number of them.
public final class Log<Element: Sendable>: Sendable {
  /// The wait ended before there were enough elements.
  public struct Late: Error {
    /// The elements so far.
    public var elements: [Element]
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

  /// Creates an empty log.
  public init() {}

  /// All elements so far.
  public var elements: [Element] { state.withLock { $0.elements } }

  /// Adds an element.
  public func append(_ element: Element) {
    let (elements, served) = state.withLock { state in
      state.elements.append(element)
      return (state.elements, state.takeServed())
    }
    for continuation in served { continuation.resume(returning: elements) }
  }

  /// Waits up to ten seconds for a number of elements, and returns all.
  @discardableResult
  public func wait(for count: Int) async throws -> [Element] {
    try await withCheckedThrowingContinuation { continuation in
      let wait: Int? = state.withLock { state in
        guard state.elements.count < count else { return nil }
        state.waits += 1
        state.waiting[state.waits] = (count, continuation)
        return state.waits
      }
      guard let wait else { return continuation.resume(returning: elements) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(10)) { [weak self] in
        self?.end(wait)
      }
    }
  }

  private func end(_ wait: Int) {
    let late = state.withLock { state in
      state.waiting.removeValue(forKey: wait).map { ($0.continuation, Late(elements: state.elements)) }
    }
    guard let (continuation, error) = late else { return }
    continuation.resume(throwing: error)
  }
}
