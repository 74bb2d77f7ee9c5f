// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// The result of a command: its exit status and everything that it wrote.
package struct Outcome: Equatable {
  /// The exit status, or 128 plus the number of the signal that ended the command.
  package var status: Int32
  package var output = ""
  package var errors = ""

  package init(status: Int32, output: String = "", errors: String = "") {
    self.status = status
    self.output = output
    self.errors = errors
  }

  /// The status as a shell reports it: the exit status, or 128 plus the number of the signal.
  ///
  /// - Parameter word: What `waitpid` stores.
  package static func status(of word: Int32) -> Int32 {
    word & 0x7f == 0 ? word >> 8 & 0xff : 128 + word & 0x7f
  }
}
#endif
