// SPDX-License-Identifier: Apache-2.0
import Foundation

/// The resources that the process uses.
struct Usage {
  /// The resident memory, in bytes.
  var resident: Int
  var descriptors: Int
  /// The processor time so far.
  var time: Duration

  init() {
    let pages = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8))?.split(separator: " ")
    resident = (pages.flatMap { Int($0[1]) } ?? 0) * sysconf(Int32(_SC_PAGESIZE))
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    var used = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    time = .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
  }
}
