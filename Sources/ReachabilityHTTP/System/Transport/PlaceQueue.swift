import Synchronization

/// Places for a limited number of concurrent users of each thing, given in the order in which they were asked for.
final class PlaceQueue<Thing: Hashable & Sendable>: Sendable {
  private struct Line {
    var users = 0
    var waiting: [(number: Int, continuation: CheckedContinuation<Void, any Error>)] = []
  }

  private let lines = Mutex([Thing: Line]())
  private let lastNumber = Atomic(0)

  /// Returns when the caller has a place, which ``leave(_:)`` gives back.
  ///
  /// - Throws: `CancellationError` if the task is cancelled before.
  func enter(_ thing: Thing, limit: Int) async throws {
    let number = lastNumber.wrappingAdd(1, ordering: .relaxed).newValue
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        let entry = lines.withLock { lines -> Result<Void, CancellationError>? in
          // Under the lock: a later cancellation finds the continuation.
          if Task.isCancelled { return .failure(CancellationError()) }
          if lines[thing, default: Line()].users < limit {
            lines[thing, default: Line()].users += 1
            return .success(())
          }
          lines[thing]?.waiting.append((number, continuation))
          return nil
        }
        if let entry { continuation.resume(with: entry) }
      }
    } onCancel: {
      let continuation = lines.withLock { lines in
        lines[thing]?.waiting.firstIndex { $0.number == number }.flatMap {
          lines[thing]?.waiting.remove(at: $0).continuation
        }
      }
      continuation?.resume(throwing: CancellationError())
    }
  }

  /// Gives the place of the caller to the next one who waits.
  func leave(_ thing: Thing) {
    let next = lines.withLock { lines -> CheckedContinuation<Void, any Error>? in
      guard var line = lines[thing] else { return nil }
      let next = line.waiting.isEmpty ? nil : line.waiting.removeFirst().continuation
      if next == nil { line.users -= 1 }
      lines[thing] = line.users == 0 ? nil : line
      return next
    }
    next?.resume()
  }
}
