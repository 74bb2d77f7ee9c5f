// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// A failure of a test to run a command or to wait for it.
package struct CommandError: Error, CustomStringConvertible {
  package var description: String

  package init(_ description: String) {
    self.description = description
  }
}
#endif
