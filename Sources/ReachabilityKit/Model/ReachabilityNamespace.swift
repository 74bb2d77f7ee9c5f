/// A network namespace: a separate network on the same machine, for example a container's.
public enum ReachabilityNamespace: Hashable, Sendable {
  /// The namespace that `ip netns` lists by this name; the file is `/run/netns/NAME`.
  case named(String)
  /// The namespace of the process with this ID; the file is `/proc/PID/ns/net`.
  case process(Int32)
  /// The namespace of this file.
  case path(String)
}

extension ReachabilityNamespace: CustomStringConvertible {
  /// A noun phrase, for example `network namespace 'blue'`.
  public var description: String {
    switch self {
    case .named(let name): "network namespace '\(name)'"
    case .process(let id): "network namespace of process \(id)"
    case .path(let path): "network namespace '\(path.redactedPath)'"
    }
  }
}

extension String {
  /// The path in a form that may be shown: a URL given by mistake may contain secrets.
  var redactedPath: String {
    // Not `contains("//")`, which links the standard library's regular expressions into a self-contained program.
    zip(utf8, utf8.dropFirst()).contains { $0 == UInt8(ascii: "/") && $1 == UInt8(ascii: "/") }
      ? redacted : self
  }
}
