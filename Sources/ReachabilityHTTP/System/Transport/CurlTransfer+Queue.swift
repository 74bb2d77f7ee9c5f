#if canImport(Glibc)
import Synchronization

extension CurlTransfer {
  /// A limit on the number of requests that have a thread.
  ///
  /// An abandoned request keeps its thread until the system's resolver returns. Without a limit, an unresponsive name
  /// server would let the number of threads grow.
  final class Queue: Sendable {
    static let shared = Queue()

    private struct State {
      var running = 0
      var waiting: [CurlTransfer] = []
    }

    private static var limit: Int { 64 }

    private let state = Mutex(State())

    /// Returns whether a request may start now; otherwise it waits in the queue.
    func admit(_ transfer: CurlTransfer) -> Bool {
      state.withLock { state in
        guard state.running >= Self.limit else {
          state.running += 1
          return true
        }
        state.waiting.append(transfer)
        return false
      }
    }

    /// Removes a request that waits.
    func remove(_ transfer: CurlTransfer) {
      state.withLock { state in state.waiting.removeAll { $0 === transfer } }
    }

    /// Gives the place of a completed request to the next one; returns that, if one waits.
    func completeOne() -> CurlTransfer? {
      state.withLock { state in
        guard !state.waiting.isEmpty else {
          state.running -= 1
          return nil
        }
        return state.waiting.removeFirst()
      }
    }
  }
}
#endif
