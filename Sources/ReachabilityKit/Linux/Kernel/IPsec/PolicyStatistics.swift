#if os(Linux)
import POSIX

/// The counters of packets that IPsec stopped, `/proc/net/xfrm_stat` of the network namespace in which it was opened.
struct PolicyStatistics: Sendable {
  private let file: OpenFile

  /// The packets that a policy blocked, and those whose policy requires a state (SA) that there is not.
  struct Counts: Equatable {
    var blocked: UInt64 = 0
    var stateless: UInt64 = 0
  }

  /// Opens the file of the calling thread's network namespace; returns `nil` if the kernel has none.
  init?() {
    guard let file = try? OpenFile("/proc/thread-self/net/xfrm_stat") else { return nil }
    self.file = file
  }

  /// Returns the present counters, or `nil` if they can't be read.
  func counts() -> Counts? {
    guard let text = try? file.contents(upTo: 4096), !text.isEmpty else { return nil }
    return Counts(text: text[...])
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
