extension NetworkMonitor {
  /// A network namespace: a network of its own on the same machine, such as a container's.
  public enum Namespace: Hashable, Sendable {
    /// The one that `ip netns` lists by this name; the file is `/run/netns/NAME`.
    case named(String)
    /// The one that this process is in; the file is `/proc/PID/ns/net`.
    case process(Int32)
    /// The one that this file stands for.
    case path(String)
  }

  /// Makes a monitor of another network namespace, watched from outside.
  ///
  /// The namespace is entered once, by a thread that starts those that look names up or connect there, and sleeps
  /// otherwise; the calling thread stays where it is. Entering takes `CAP_SYS_ADMIN` in the namespace and in this process's user namespace;
  /// afterwards no rights are needed, and they may be given up. Whoever is in the namespace already needs none.
  ///
  /// The monitor keeps the namespace alive, as every socket does: its name and its processes may go, and its network
  /// is still watched.
  ///
  /// - Throws: ``NetworkMonitorError`` with code `namespaceNotFound` if there is no such network namespace,
  ///   `notPermitted` if this process may not enter it, or `systemUnavailable`.
  public convenience init(in namespace: Namespace) throws(NetworkMonitorError) {
    self.init(source: try NamespaceAccess(namespace).source)
  }
}

extension NetworkMonitor.Namespace: CustomStringConvertible {
  /// Such as `network namespace 'blue'`.
  public var description: String {
    switch self {
    case .named(let name): "network namespace '\(name)'"
    case .process(let id): "network namespace of process \(id)"
    case .path(let path): "network namespace '\(path.redactedPath)'"
    }
  }
}

extension String {
  /// A path as it may be shown: a URL in its place may have secrets.
  var redactedPath: String {
    // Not `contains("//")`, for whose sake a self-contained program gets the standard library's regular expressions.
    zip(utf8, utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
      ? redacted : self
  }
}
