// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

extension ReachabilityNamespace {
  /// Reads a network namespace whose name need not be UTF-8.
  init?(_ argument: Argument) {
    if argument.isText {
      self.init(text: argument.text)
      return
    }
    let isPath = argument.bytes.contains(UInt8(ascii: "/"))
    let path = isPath ? argument : Argument(bytes: "/run/netns/".utf8 + argument.bytes)
    // Text cannot express the path, but that of the open file.
    self = Descriptors.open(path).map { .path("/proc/self/fd/\($0)") } ?? .named(argument.text)
  }
}
