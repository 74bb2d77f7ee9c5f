#if os(Linux)
import CLibrary
import CPOSIX
import POSIX

/// The resolver's files of a network namespace, in `/etc/netns/NAME`.
struct NamespaceResolverFiles {
  private let folder: String

  /// Returns `nil` for a namespace that has no name, or no `resolv.conf` in that folder.
  init?(of namespace: ReachabilityNamespace) {
    guard case .named(let name) = namespace else { return nil }
    folder = "/etc/netns/\(name)"
    guard unsafe access("\(folder)/resolv.conf", R_OK) == 0 else { return nil }
  }

  /// Mounts the files over those in `/etc`, for the calling thread and the threads that it starts.
  ///
  /// As `ip netns exec` does: in a private mount namespace. The sockets of machine-wide resolver daemons are hidden too, since
  /// these would resolve names in their own namespace.
  ///
  /// - Returns: Whether names are now resolved by these files; `false` without the privilege to mount.
  func takeEffect() -> Bool {
    guard unshare(CloneFlags.mounts.rawValue) == 0 else { return false }
    // Mounts made here stay private; later mounts of the machine are still seen here.
    guard unsafe mount(nil, "/", nil, Self.slave | Self.recursive, nil) == 0 else { return false }
    for name in SystemFile.entries(of: folder, upTo: .max) where name != "resolv.conf" {
      // Best effort, as in `ip netns exec`: a file may have no counterpart in /etc.
      _ = replace("/etc/\(name)", by: "\(folder)/\(name)")
    }
    for socket in ["/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/var/run/nscd/socket"] {
      guard replace(socket, by: "/dev/null") || errno == ENOENT || errno == ENOTDIR else { return false }
    }
    return replace("/etc/resolv.conf", by: "\(folder)/resolv.conf")
  }

  /// The files to watch for changes.
  ///
  /// A mount binds a file, not its name: a file that is rewritten is seen, a file that replaces it is not.
  var paths: [String] {
    ResolverConfiguration.files.compactMap { $0.split(separator: "/").last.map { "\(folder)/\($0)" } }
  }

  // MS_SLAVE, MS_REC and MS_BIND.
  private static var slave: UInt { 1 << 19 }
  private static var recursive: UInt { 1 << 14 }
  private static var bind: UInt { 1 << 12 }

  /// Mounts a file over another one, or over the target of a link.
  private func replace(_ path: String, by file: String) -> Bool {
    unsafe mount(file, path, nil, Self.bind, nil) == 0
  }
}
#endif
