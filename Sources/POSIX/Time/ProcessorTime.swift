#if os(Linux)
import CLibrary

/// The processor time that was used so far.
package enum ProcessorTime {
  /// That of the calling thread, `CLOCK_THREAD_CPUTIME_ID`.
  package static var ofThread: Duration {
    var time = timespec()
    guard unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0 else { return .zero }
    return .seconds(Int64(time.tv_sec)) + .nanoseconds(Int64(time.tv_nsec))
  }
}
#endif
