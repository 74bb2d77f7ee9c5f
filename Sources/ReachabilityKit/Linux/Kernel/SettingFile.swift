#if os(Linux)
import CLibrary
import POSIX

/// A setting of the network namespace in which it was opened, below `/proc/sys/net`.
final class SettingFile: Sendable {
  private let descriptor: FileDescriptor

  /// Opens a setting of the calling thread's network namespace; returns `nil` without `/proc`.
  init?(_ name: String) {
    guard
      let file = try? FileDescriptor(owning: unsafe open("/proc/sys/net/\(name)", O_RDONLY | O_CLOEXEC))
    else { return nil }
    descriptor = file
  }

  /// Whether the setting is a number other than zero now.
  var isOn: Bool {
    var buffer = [UInt8](repeating: 0, count: 16)
    let count = unsafe pread(descriptor.rawValue, &buffer, buffer.count, 0)
    return count > 0 && buffer[0] != UInt8(ascii: "0")
  }
}
#endif
