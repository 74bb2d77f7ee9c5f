#if os(Linux)
import CLibrary
import POSIX

/// The file with the counters of the network namespace in which it was opened, `/proc/net/snmp`.
final class CounterFile: Sendable {
  private let descriptor: FileDescriptor

  /// Opens the file of the calling thread's network namespace.
  init() throws(Errno) {
    descriptor = try FileDescriptor(owning: unsafe open("/proc/thread-self/net/snmp", O_RDONLY | O_CLOEXEC))
  }

  /// Returns the present text.
  func contents() throws(Errno) -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 8192)
    let count = unsafe pread(descriptor.rawValue, &buffer, buffer.count, 0)
    guard count >= 0 else { throw .last }
    return Array(buffer.prefix(count))
  }
}
#endif
