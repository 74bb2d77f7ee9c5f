// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
#endif

/// A moment of `SuspendingClock`, which stands still while the machine sleeps.
///
/// The clock's own instants have no size that the compiler knows, so each optional of them takes calls of the runtime.
package struct Moment: InstantProtocol {
  private let sinceOrigin: Duration

  private static let origin = SuspendingClock().now

  package static var now: Moment { Moment(sinceOrigin: origin.duration(to: SuspendingClock().now)) }

  package static func < (one: Moment, other: Moment) -> Bool { one.sinceOrigin < other.sinceOrigin }

  package func advanced(by duration: Duration) -> Moment { Moment(sinceOrigin: sinceOrigin + duration) }

  package func duration(to other: Moment) -> Duration { other.sinceOrigin - sinceOrigin }

  /// Returns the earlier of two moments, or the only one.
  package static func earliest(_ one: Moment?, _ other: Moment?) -> Moment? {
    guard let one, let other else { return one ?? other }
    return min(one, other)
  }
}

#if os(Linux)
/// The processor time that was used so far.
package enum ProcessorTime {
  /// That of the calling thread, `CLOCK_THREAD_CPUTIME_ID`.
  package static var ofThread: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}

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
