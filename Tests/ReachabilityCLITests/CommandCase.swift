// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Testing

/// The arguments of a command, with its output line and exit status in the sample network.
struct CommandCase: Sendable, CustomTestStringConvertible {
  var name: String
  var arguments: [String]
  var status: Int32
  var line: String

  init(_ name: String, _ arguments: String, _ status: Int32, _ line: String) {
    self.name = name
    self.arguments = arguments.split(separator: " ").map(String.init)
    self.status = status
    self.line = line
  }

  var testDescription: String { name }
}
#endif
