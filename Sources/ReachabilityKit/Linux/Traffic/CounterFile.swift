#if os(Linux)
import CLibrary
import POSIX

/// A file about the network namespace in which it was opened.
final class CounterFile: Sendable {
  private let descriptor: FileDescriptor

  /// Opens the file with the counters of the calling thread's network namespace.
  static func counters() throws(Errno) -> CounterFile { try CounterFile("/proc/thread-self/net/snmp") }

  /// Opens the file with the time in seconds for which a closed connection waits for the peer's end.
  static func closingTime() throws(Errno) -> CounterFile {
    try CounterFile("/proc/sys/net/ipv4/tcp_fin_timeout")
  }

  private init(_ path: String) throws(Errno) {
    descriptor = try FileDescriptor(owning: unsafe open(path, O_RDONLY | O_CLOEXEC))
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
