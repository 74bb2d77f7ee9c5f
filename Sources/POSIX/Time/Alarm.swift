#if os(Linux)
import CLibrary
import CPOSIX

/// A counter that any thread increments to wake a thread polling its descriptor, `eventfd(2)`.
package struct Alarm: ~Copyable, Sendable {
  private let counter: FileDescriptor

  package init() throws(Errno) {
    let flags: DescriptorFlags = [.closeOnExec, .nonBlocking]
    counter = try FileDescriptor(owning: eventfd(0, flags.rawValue))
  }

  /// The descriptor to poll for input.
  package var descriptor: CInt { counter.rawValue }

  /// Ends the current wait, or the next one.
  package func ring() {
    var one: UInt64 = 1
    // The write fails only if the counter is full, and then a wake-up is already pending.
    _ = unsafe write(counter.rawValue, &one, 8)
  }

  /// Resets the alarm; call this before reading the state that the alarm announced.
  ///
  /// - Returns: `true` if the alarm rang; `false` if the descriptor now belongs to another file.
  package func silence() -> Bool {
    var count: UInt64 = 0
    return unsafe read(counter.rawValue, &count, 8) == 8
  }

  /// Blocks for 0.1 seconds.
  ///
  /// After other code closes a descriptor, polling it returns immediately; this call keeps the loop from spinning.
  package static func pause() {
    poll(nil, 0, 100)
  }
}
#endif
