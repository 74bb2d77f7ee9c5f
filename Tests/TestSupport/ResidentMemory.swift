// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation

/// The resident memory of this process in bytes (`/proc/self/statm` in proc_pid_statm(5)).
package struct ResidentMemory {
  package let total: Int
  /// Without the pages of files, such as programs and libraries, which come and go with their use.
  package let own: Int

  package init() throws {
    let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
    let pages = text.split(separator: " ").compactMap { Int($0) }
    guard pages.count > 2 else { throw CocoaError(.fileReadCorruptFile) }
    let size = sysconf(Int32(_SC_PAGESIZE))
    total = pages[1] * size
    own = (pages[1] - pages[2]) * size
  }
}
#endif
