#if os(Linux)
import CPOSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Wakes a thread that waits for descriptors, from any thread; the system's counter is `eventfd(2)`.
package struct Alarm: ~Copyable, Sendable {
  private let counter: FileDescriptor

  package init() throws(Errno) {
    // EFD_CLOEXEC and EFD_NONBLOCK.
    counter = try FileDescriptor(owning: eventfd(0, 0o2000000 | 0o4000))
  }

  /// The descriptor to poll for input.
  package var descriptor: CInt { counter.rawValue }

  /// Ends a wait, or the next one if there is none now.
  package func ring() {
    var one: UInt64 = 1
    // It fails only if the counter is full, and then a wake-up waits already.
    _ = unsafe write(counter.rawValue, &one, 8)
  }

  /// Forgets what has rung, before what it rang for is looked at.
  ///
  /// - Returns: Whether it rang, or `false` where its descriptor stands for something else by now.
  package func silence() -> Bool {
    var count: UInt64 = 0
    return unsafe read(counter.rawValue, &count, 8) == 8
  }

  /// Blocks for a moment, where waiting for a descriptor would not: somebody else closed it, and whoever waits for it
  /// would do nothing but wait again.
  package static func pause() {
    poll(nil, 0, 100)
  }
}
#endif
