import CommandLineSupport
import ReachabilityKit

extension ReachabilityNamespace {
  /// What is accepted as a network namespace, in words.
  static let acceptedTexts =
    "a name that 'ip netns' lists, the number of a process, or a path with a slash such as /proc/1/ns/net"

  /// Reads how a user writes a network namespace: a path has a slash, a process's number only digits.
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

extension ReachabilityMonitor {
  /// Returns a monitor of a network namespace, or of the one that the command runs in.
  ///
  /// The latter lasts as long as the process, whose end does at once what taking a monitor apart does bit by bit.
  static func living(inside namespace: ReachabilityNamespace?) throws(ReachabilityMonitorError)
    -> ReachabilityMonitor
  {
    if let namespace { try ReachabilityMonitor(in: namespace) } else { try .shared }
  }
}
