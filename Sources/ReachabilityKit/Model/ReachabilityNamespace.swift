/// A network namespace: a network of its own on the same machine, such as a container's.
public enum ReachabilityNamespace: Hashable, Sendable {
  /// The one that `ip netns` lists by this name; the file is `/run/netns/NAME`.
  case named(String)
  /// The one that this process is in; the file is `/proc/PID/ns/net`.
  case process(Int32)
  /// The one that this file stands for.
  case path(String)
}

extension ReachabilityNamespace: CustomStringConvertible {
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
