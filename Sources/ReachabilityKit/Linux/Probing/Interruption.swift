#if os(Linux)
import CLibrary
import Netlink
import POSIX
import Synchronization

/// The means to interrupt a thread that waits for sockets.
final class Interruption: Sendable {
  private let alarm: Alarm
  private let flag = Atomic(false)

  private init() throws(ReachabilityMonitorError) {
    do throws(Errno) {
      alarm = try Alarm()
    } catch {
      throw ReachabilityMonitorError(
        .systemUnavailable, errorNumber: error.rawValue,
        description: "could not prepare to wait for the network: \(error)")
    }
  }

  /// Runs a closure on a new thread, which it may block; cancelling the task interrupts it.
  ///
  /// - Throws: `CancellationError`, after the closure returned; ``ReachabilityMonitorError`` if no thread can be started.
  static func run<Value: Sendable>(
    on threads: ThreadStarter, named name: String, _ body: @escaping @Sendable (Interruption) -> Value
  ) async throws -> Value {
    let interruption = try Interruption()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        do throws(ReachabilityMonitorError) {
          try threads(name) {
            let value = body(interruption)
            if interruption.isInterrupted {
              continuation.resume(throwing: CancellationError())
            } else {
              continuation.resume(returning: value)
            }
          }
        } catch {
          continuation.resume(throwing: error)
        }
      }
    } onCancel: {
      interruption.flag.store(true, ordering: .sequentiallyConsistent)
      interruption.alarm.ring()
    }
  }

  /// Whether the closure should return now.
  var isInterrupted: Bool { flag.load(ordering: .sequentiallyConsistent) }

  /// Blocks until a socket is ready, an interruption, or the end of a period.
  ///
  /// - Parameters:
  ///   - sockets: The sockets to wait for, by their places.
  ///   - forInput: Whether to wait for datagrams instead of connections.
  /// - Returns: The places of the ready sockets, in order.
  func wait(for sockets: [Int: ProbeSocket], forInput: Bool, _ time: Duration) -> [Int] {
    let places = sockets.keys.sorted()
    let events = Int16(forInput ? POLLIN : POLLOUT)
    var descriptors = [pollfd(fd: alarm.descriptor, events: Int16(POLLIN), revents: 0)]
    for place in places {
      descriptors.append(pollfd(fd: sockets[place]?.pollDescriptor ?? -1, events: events, revents: 0))
    }
    // Rounded up, so that the period is over on return.
    let milliseconds = time > .zero ? Int64(time / .milliseconds(1)) + 1 : 0
    let count = unsafe poll(&descriptors, nfds_t(descriptors.count), CInt(clamping: milliseconds))
    guard count > 0 else { return [] }
    // Foreign code closed the descriptor: without a pause every wait would end immediately.
    if descriptors[0].revents & Int16(POLLNVAL) != 0 { Alarm.pause() }
    return places.indices.filter { descriptors[$0 + 1].revents != 0 }.map { places[$0] }
  }
}
#endif
