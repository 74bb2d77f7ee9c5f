// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import POSIX
import Synchronization

/// Where the files of the system's resolver are.
enum NameFileSource: Sendable {
  /// In `/etc`, for every thread.
  case machine
  /// In the folder of a namespace.
  case namespace(NamespaceResolverFiles)

  /// The files to watch for changes, first the one that lists the name servers.
  var paths: [String] {
    switch self {
    case .machine: ResolverConfiguration.files
    case .namespace(let files): files.paths
    }
  }

  /// Whether names are looked up: a namespace may have no name servers.
  var canLookUp: Bool {
    switch self {
    case .machine: true
    case .namespace(let files): files.canLookUp
    }
  }

  /// Lets the next lookup read the present files.
  func update() {
    if case .namespace(let files) = self { files.update() }
  }
}

/// The resolver's files of a network namespace with a name, in `/etc/netns/NAME`.
///
/// The threads of the namespace see copies of them over those in `/etc`. A mounted original would hide the file that replaces it,
/// since a mount binds a file and not its name. A copy is updated without privileges, and no thread sees the machine's file meanwhile.
final class NamespaceResolverFiles: Sendable {
  private let folder: String
  private let copies: [FileCopy]

  /// Mounts the copies for the calling thread and the threads that it starts.
  ///
  /// As `ip netns exec` does: in a private mount namespace. The sockets of machine-wide resolver daemons are hidden too, since
  /// these would resolve names in their own namespace; and so is the bus, which modules of the C library reach them over.
  ///
  /// Returns `nil` for a namespace without a name, and without the privilege to mount.
  init?(of namespace: ReachabilityNamespace) {
    guard case .named(let name) = namespace else { return nil }
    let folder = "/etc/netns/\(name)"
    guard unshare(CloneFlags.mounts.rawValue) == 0 else { return nil }
    // Mounts made here stay private; later mounts of the machine are still seen here.
    guard unsafe mount(nil, "/", nil, Self.slave | Self.recursive, nil) == 0 else { return nil }
    for name in SystemFile.entries(of: folder, upTo: .max) where !Self.names.contains(name) {
      // Best effort, as in `ip netns exec`: a file may have no counterpart in /etc.
      _ = Self.bind("\(folder)/\(name)", over: "/etc/\(name)")
    }
    for socket in Self.daemons {
      guard Self.bind("/dev/null", over: socket) || errno == ENOENT || errno == ENOTDIR else { return nil }
    }
    guard let copies = Self.mountCopies(of: folder) else { return nil }
    self.folder = folder
    self.copies = copies
  }

  /// Whether the namespace has name servers; the file may come and go.
  var canLookUp: Bool { unsafe access("\(folder)/resolv.conf", R_OK) == 0 }

  /// The files to watch for changes.
  var paths: [String] { Self.names.map { "\(folder)/\($0)" } }

  /// Copies the files that changed since the last call.
  func update() {
    for copy in copies { copy.update() }
  }

  /// The sockets of systemd-resolved, nscd, Avahi (nss-mdns) and the system's bus (nss-resolve before systemd 247).
  ///
  /// `/var/run` may be a folder of its own; where it is a link to `/run`, the second mount covers the first one.
  private static let daemons = [
    "/systemd/resolve/io.systemd.Resolve", "/nscd/socket", "/avahi-daemon/socket", "/dbus/system_bus_socket",
  ].flatMap { ["/run" + $0, "/var/run" + $0] }

  /// The names of the files of which the threads see copies.
  private static var names: [String] {
    ResolverConfiguration.files.compactMap { $0.split(separator: "/").last.map(String.init) }
  }

  /// Mounts empty files over those of the resolver; returns `nil` if there is no `resolv.conf` to mount over.
  private static func mountCopies(of folder: String) -> [FileCopy]? {
    var places: [(name: String, file: OpenFile, machine: [UInt8])] = []
    for name in names {
      guard let file = try? OpenFile("/etc/\(name)", DescriptorFlags.pathOnly.rawValue) else {
        if name == "resolv.conf" { return nil }
        continue
      }
      // Without a file of its own the namespace has no name servers, but the machine's other files.
      let text =
        name == "resolv.conf" ? [] : try? SystemFile.contents(of: "/etc/\(name)", upTo: FileCopy.limit)
      places.append((name, file, text ?? []))
    }
    // For the moment in which the files are made, their folder is in the place of one that always exists.
    let isMounted =
      unsafe mount("reachability", "/etc", "tmpfs", noDevices | noPrograms | noOtherUser, nil) == 0
    guard isMounted else { return nil }
    defer { unsafe umount2("/etc", detached) }
    var copies: [FileCopy] = []
    for (name, place, machine) in places {
      guard let file = try? OpenFile("/etc/\(name)", O_RDWR | O_CREAT),
        fchmod(file.rawValue, 0o644) == 0,
        bind("/etc/\(name)", over: "/proc/thread-self/fd/\(place.rawValue)")
      else { return nil }
      copies.append(FileCopy(of: "\(folder)/\(name)", or: machine, in: file))
    }
    return copies
  }

  // MS_SLAVE, MS_REC, MS_BIND, MS_NOSUID, MS_NODEV, MS_NOEXEC and MNT_DETACH.
  private static var slave: UInt { 1 << 19 }
  private static var recursive: UInt { 1 << 14 }
  private static var bound: UInt { 1 << 12 }
  private static var noOtherUser: UInt { 1 << 1 }
  private static var noDevices: UInt { 1 << 2 }
  private static var noPrograms: UInt { 1 << 3 }
  private static var detached: CInt { 1 << 1 }

  /// Mounts a file over another one, or over the target of a link.
  private static func bind(_ file: String, over path: String) -> Bool {
    unsafe mount(file, path, nil, bound, nil) == 0
  }
}

/// A copy of a file, kept equal to it.
private final class FileCopy: Sendable {
  /// The number of bytes that are copied.
  static var limit: Int { 1 << 26 }

  private let original: String
  private let substitute: [UInt8]
  private let file: OpenFile
  /// What the copy was made of, once that can't change unnoticed.
  private let copied = Mutex<FileVersion?>(nil)

  /// - Parameter substitute: The text where the original does not exist.
  init(of original: String, or substitute: [UInt8], in file: OpenFile) {
    self.original = original
    self.substitute = substitute
    self.file = file
  }

  /// Copies the original if it changed; keeps the text if the original can't be read.
  func update() {
    copied.withLock { copied in
      let version = FileVersion(of: original)
      guard version == nil || version != copied else { return }
      guard let text = version == nil ? substitute : try? SystemFile.contents(of: original, upTo: Self.limit),
        write(text)
      else { return }
      copied = version?.isSettled == true ? version : nil
    }
  }

  /// Replaces the text, so that a reader sees the old or the new one, perhaps with empty lines after it.
  private func write(_ text: [UInt8]) -> Bool {
    var status = stat()
    guard unsafe fstat(file.rawValue, &status) == 0 else { return false }
    let blank = max(Int(status.st_size) - text.count, 0)
    let padded = text + [UInt8](repeating: UInt8(ascii: "\n"), count: blank)
    var written = 0
    while written < padded.count {
      let count = unsafe padded.withUnsafeBytes {
        unsafe pwrite(
          file.rawValue, $0.baseAddress?.advanced(by: written), padded.count - written, off_t(written))
      }
      guard count > 0 else { return false }
      written += count
    }
    return ftruncate(file.rawValue, off_t(text.count)) == 0
  }
}
#endif
