// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import ReachabilityKit

extension ReachabilityNamespace {
  /// The accepted forms of a network namespace, in words.
  static let acceptedTexts =
    "a name listed by 'ip netns', a process ID, or a path with a slash, for example /proc/1/ns/net"

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

  /// Reads a network namespace: a path contains a slash, a process ID only digits.
  init?(text: String) {
    if text.utf8.contains(UInt8(ascii: "/")) {
      self = .path(text)
    } else if text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) {
      guard let id = Int32(text), id > 0 else { return nil }
      self = .process(id)
    } else {
      guard text != ".", text != ".." else { return nil }
      self = .named(text)
    }
  }
}
