// SPDX-License-Identifier: Apache-2.0
import Foundation
import POSIX

/// The threads of this process's monitor: the one that evaluates, and those that look up names.
///
/// On a busy machine they wait for a processor, or for the kernel's lock of the network (RTNL), which the removal of other
/// networks holds for seconds.
enum MonitorThreads {
  /// Whether one of them has work, which it may be kept from: it does not sleep until an event (`S`).
  static var areBusy: Bool {
    let folder = "/proc/self/task"
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return threads.contains { thread in
      // The number, the name and the state; a name lookup's thread may have ended.
      guard let line = SystemFile.line(of: "\(folder)/\(thread)/stat", upTo: 4096) else { return false }
      let words = line.split(separator: " ")
      return words.count > 2 && ["(reachability)", "(names)"].contains(words[1]) && words[2] != "S"
    }
  }
}
