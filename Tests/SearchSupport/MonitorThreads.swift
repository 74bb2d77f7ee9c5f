// SPDX-License-Identifier: Apache-2.0
import POSIX

/// The threads of this process's monitors: those that evaluate, and those that look up names.
///
/// On a busy machine they wait for a processor, or for the kernel's lock of the network (RTNL), which the removal of other
/// networks holds for seconds.
package enum MonitorThreads {
  /// Whether one of them runs, or waits for a processor or for a lock of the kernel: its state is not `S`.
  package static var areBusy: Bool {
    let folder = "/proc/self/task"
    return SystemFile.entries(of: folder, upTo: 4096).contains { thread in
      // The number, the name and the state. A thread that looked up names may have ended.
      guard let line = SystemFile.line(of: "\(folder)/\(thread)/stat", upTo: 4096) else { return false }
      let words = line.split(separator: " ")
      return words.count > 2 && ["(reachability)", "(names)"].contains(words[1]) && words[2] != "S"
    }
  }
}
