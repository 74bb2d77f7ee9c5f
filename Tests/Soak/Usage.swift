// SPDX-License-Identifier: Apache-2.0
import Foundation
import TestSupport

/// The resources that the process uses.
struct Usage {
  /// The resident memory, in bytes.
  var resident: Int
  var descriptors: Int
  /// The processor time so far.
  var time: Duration

  init() {
    resident = (try? ResidentMemory().total) ?? 0
    descriptors = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0
    var used = timespec()
    unsafe clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used)
    time = .seconds(used.tv_sec) + .nanoseconds(used.tv_nsec)
  }
}
