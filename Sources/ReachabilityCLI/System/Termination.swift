import Dispatch

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Hears the signals that ask a process to end.
struct Termination {
  private let sources: [any DispatchSourceSignal]

  /// Calls the handler on the queue when `SIGINT` or `SIGTERM` comes, in place of dying.
  init(on queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
      source.setEventHandler(handler: handler)
      source.activate()
      return source
    }
  }
}
