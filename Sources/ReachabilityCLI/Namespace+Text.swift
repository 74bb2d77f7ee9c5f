import Reachability

extension NetworkMonitor.Namespace {
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

extension NetworkMonitor {
  /// Makes a monitor of a network namespace, or of the one that the command runs in.
  convenience init(inside namespace: Namespace?) throws(NetworkMonitorError) {
    if let namespace {
      try self.init(in: namespace)
    } else {
      try self.init()
    }
  }
}
