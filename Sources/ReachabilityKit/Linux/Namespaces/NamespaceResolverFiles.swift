#if os(Linux)
import CPOSIX
import POSIX

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// How names are resolved in a network namespace, where that was written down: the files in `/etc/netns/NAME`.
struct NamespaceResolverFiles {
  private let folder: String

  /// Returns `nil` for a namespace without a name, or without a `resolv.conf` of its own.
  init?(of namespace: ReachabilityNamespace) {
    guard case .named(let name) = namespace else { return nil }
    folder = "/etc/netns/\(name)"
    guard unsafe access("\(folder)/resolv.conf", R_OK) == 0 else { return nil }
  }

  /// Puts the files in the place of the machine's in `/etc`, for the calling thread and those that it starts.
  ///
  /// As `ip netns exec` does it: in a mount namespace of the thread's own, so that nobody else sees it. The daemons
  /// that resolve names for all of the machine are hidden too, since they would do it in a namespace of theirs.
  ///
  /// - Returns: Whether names are now resolved as the files say; not without the right to mount.
  func takeEffect() -> Bool {
    guard unshare(CloneFlags.mounts.rawValue) == 0 else { return false }
    // What is mounted here stays here; what others mount or take away later is seen here too.
    guard unsafe mount(nil, "/", nil, Self.slave | Self.recursive, nil) == 0 else { return false }
    for name in fileNames where name != "resolv.conf" {
      // Best effort, as `ip netns exec` does it: a file may have nothing in /etc that it could stand for.
      _ = replace("/etc/\(name)", by: "\(folder)/\(name)")
    }
    for socket in ["/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/var/run/nscd/socket"] {
      guard replace(socket, by: "/dev/null") || errno == ENOENT || errno == ENOTDIR else { return false }
    }
    return replace("/etc/resolv.conf", by: "\(folder)/resolv.conf")
  }

  /// The files that matter when they change.
  ///
  /// What is mounted is a file, not its name: one that is written anew is seen, one that is put in its place is not.
  var paths: [String] {
    ResolverConfiguration.files.compactMap { $0.split(separator: "/").last.map { "\(folder)/\($0)" } }
  }

  // MS_SLAVE, MS_REC and MS_BIND.
  private static var slave: UInt { 1 << 19 }
  private static var recursive: UInt { 1 << 14 }
  private static var bind: UInt { 1 << 12 }

  /// Mounts a file over another one, or over that which it links to.
  private func replace(_ path: String, by file: String) -> Bool {
    unsafe mount(file, path, nil, Self.bind, nil) == 0
  }

  private var fileNames: [String] {
    guard let directory = unsafe opendir(folder) else { return [] }
    defer { unsafe closedir(directory) }
    var names: [String] = []
    while let entry = unsafe readdir(directory) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
#endif
