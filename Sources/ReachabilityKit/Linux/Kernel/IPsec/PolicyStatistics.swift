#if os(Linux)
import CLibrary
import POSIX

/// The counters of packets that IPsec stopped, `/proc/net/xfrm_stat` of the network namespace in which it was opened.
struct PolicyStatistics: ~Copyable, Sendable {
  private let descriptor: FileDescriptor

  /// The packets that a policy blocked, and those whose policy requires a state (SA) that there is not.
  struct Counts: Equatable {
    var blocked: UInt64 = 0
    var stateless: UInt64 = 0
  }

  /// Takes a descriptor of the file.
  init(owning descriptor: CInt) throws(Errno) { self.descriptor = try FileDescriptor(owning: descriptor) }

  /// Opens the file of the calling thread's network namespace; returns a negative number if the kernel has none.
  static func open() -> CInt {
    unsafe CLibrary.open("/proc/thread-self/net/xfrm_stat", O_RDONLY | O_CLOEXEC)
  }

  /// Returns the present counters, or `nil` if they can't be read.
  func counts() -> Counts? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = unsafe pread(descriptor.rawValue, &buffer, buffer.count, 0)
    guard count > 0 else { return nil }
    return Counts(text: buffer.prefix(count))
  }
}

extension PolicyStatistics.Counts {
  /// Reads lines of a name and a number.
  init(text: ArraySlice<UInt8>) {
    for line in text.split(separator: UInt8(ascii: "\n")) {
      let words = String(decoding: line, as: UTF8.self).split { $0 == " " || $0 == "\t" }
      guard words.count == 2, let number = UInt64(words[1]) else { continue }
      switch words[0] {
      case "XfrmOutPolBlock": blocked = number
      case "XfrmOutNoStates": stateless = number
      default: continue
      }
    }
  }
}
#endif
