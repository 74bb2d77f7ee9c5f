// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import CPOSIX
import Netlink
import POSIX

/// The file that represents a network namespace.
struct NamespaceFile {
  private let namespace: ReachabilityNamespace
  private let path: String

  /// Determines the path of the file.
  init(of namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) {
    self.namespace = namespace
    path = try Self.path(of: namespace)
  }

  /// Moves the calling thread into the namespace; the call is `setns`.
  ///
  /// - Returns: Whether the thread was in another namespace before.
  func enter() throws(ReachabilityMonitorError) -> Bool {
    let descriptor: FileDescriptor?
    do throws(Errno) {
      descriptor = try openNamespaceFile(path)
    } catch {
      throw openingError(error)
    }
    var information = stat()
    guard let descriptor, Self.mayBeNetwork(descriptor.rawValue),
      unsafe fstat(descriptor.rawValue, &information) == 0
    else { throw noNamespace }
    // To stay requires no privileges.
    guard Identity(information) != Self.own else { return false }
    guard setns(descriptor.rawValue, CloneFlags.network.rawValue) != 0 else { return true }
    let error = Errno.last
    guard error != .invalidArgument else { throw noNamespace }
    throw ReachabilityMonitorError(
      error.isMissingRight ? .notPermitted : .systemUnavailable, errorNumber: error.rawValue,
      description: "could not enter the \(namespace): \(error)"
        + (error.isMissingRight
          ? "; this requires CAP_SYS_ADMIN in it and in this process's user namespace, as root has" : ""))
  }

  /// The device and inode, which are equal for equal namespaces.
  struct Identity: Equatable, Sendable {
    var device: dev_t
    var number: ino_t

    init(_ information: stat) {
      device = information.st_dev
      number = information.st_ino
    }
  }

  /// Queries the kind of namespace; kernels before 4.11 do not report it, and refuse to enter other files.
  private static func mayBeNetwork(_ descriptor: CInt) -> Bool {
    let type = ioctl(descriptor, ControlRequest.namespaceKind)
    return type == CloneFlags.network.rawValue || type < 0 && errno == ENOTTY
  }

  /// The calling thread's network namespace.
  private static var own: Identity? { identity(of: "/proc/thread-self/ns/net") }

  static func identity(of path: String) -> Identity? {
    var information = stat()
    guard unsafe stat(path, &information) == 0 else { return nil }
    return Identity(information)
  }
}

// MARK: - Paths

extension NamespaceFile {
  private static func path(of namespace: ReachabilityNamespace) throws(ReachabilityMonitorError) -> String {
    switch namespace {
    case .named(let name):
      guard !name.isEmpty, name != ".", name != "..", !name.utf8.contains(where: { [0, 0x2f].contains($0) })
      else {
        throw ReachabilityMonitorError(
          .namespaceNotFound,
          description:
            "'\(name)' can't be the name of a network namespace: it is not a file name in /run/netns")
      }
      // The second is the older path, and nearly everywhere a link to the first.
      let paths = ["/run/netns/\(name)", "/var/run/netns/\(name)"]
      return paths.first { unsafe access($0, F_OK) == 0 } ?? paths[0]
    case .process(let id):
      guard id > 0 else {
        throw ReachabilityMonitorError(
          .namespaceNotFound, description: "\(id) can't be a process ID: the first one is 1")
      }
      return "/proc/\(id)/ns/net"
    case .path(let path):
      guard !path.isEmpty, !path.utf8.contains(0) else {
        throw ReachabilityMonitorError(
          .namespaceNotFound,
          description: "'\(path.redactedPath)' can't be the path of a network namespace")
      }
      return path
    }
  }

  private var noNamespace: ReachabilityMonitorError {
    ReachabilityMonitorError(
      .namespaceNotFound, description: "\(path.redactedPath) is not a network namespace")
  }

  private func openingError(_ error: Errno) -> ReachabilityMonitorError {
    if error.isMissingFile {
      let what = if case .process(let id) = namespace { "process \(id)" } else { "\(namespace)" }
      return ReachabilityMonitorError(
        .namespaceNotFound, errorNumber: error.rawValue,
        description: "there is no \(what): could not open \(path.redactedPath): \(error)")
    }
    var help = ""
    if error.isMissingRight, case .process = namespace {
      help = "; this requires the privileges of the process's owner, or CAP_SYS_PTRACE as root has"
    }
    return ReachabilityMonitorError(
      error.isMissingRight ? .notPermitted : .systemUnavailable, errorNumber: error.rawValue,
      description: "could not enter the \(namespace): could not open \(path.redactedPath): \(error)\(help)")
  }
}

/// Opens the file of a namespace for reading; `nil` for other files, on which opening may have an effect or wait.
///
/// The owner of a file could keep `open` waiting with a write lease, a pipe or a FUSE server.
private func openNamespaceFile(_ path: String) throws(Errno) -> FileDescriptor? {
  let flags: DescriptorFlags = [.pathOnly, .closeOnExec]
  let found = try FileDescriptor(owning: unsafe open(path, flags.rawValue))
  var information = statfs()
  guard unsafe fstatfs(found.rawValue, &information) == 0, information.f_type == namespaceFileSystem else {
    return nil
  }
  // The same file, even if the path now leads to another one.
  return try FileDescriptor(
    owning: unsafe open("/proc/thread-self/fd/\(found.rawValue)", O_RDONLY | O_CLOEXEC))
}

/// The kernel's file system of namespaces, since Linux 3.19: `NSFS_MAGIC`.
private let namespaceFileSystem = 0x6e73_6673

extension Errno {
  fileprivate var isMissingRight: Bool { [EPERM, EACCES].contains(rawValue) }
  fileprivate var isMissingFile: Bool { [ENOENT, ENOTDIR, ESRCH].contains(rawValue) }
}

/// A socket that represents the network namespace in which it was created.
final class NamespaceProbe: Sendable {
  private let descriptor: FileDescriptor
  private let number: UInt64

  /// Opens the socket in the calling thread's network namespace.
  init() throws(Errno) {
    let descriptor = try FileDescriptor.netlinkSocket(.route)
    var information = stat()
    guard unsafe fstat(descriptor.rawValue, &information) == 0 else { throw .last }
    number = UInt64(information.st_ino)
    self.descriptor = descriptor
  }

  /// Returns the current name of an interface in the namespace; the request is `SIOCGIFNAME`.
  func interfaceName(index: Int) -> String? {
    guard let index = Int32(exactly: index), index > 0 else { return nil }
    // An ifreq: the name, the index, and room for the rest of its union.
    var request = [UInt8](repeating: 0, count: 40)
    unsafe request.withUnsafeMutableBytes {
      unsafe $0.storeBytes(of: index, toByteOffset: 16, as: Int32.self)
    }
    guard unsafe ioctl(descriptor.rawValue, ControlRequest.interfaceName, &request) == 0 else { return nil }
    return String(validating: request.prefix(16).prefix { $0 != 0 }, as: UTF8.self)
  }

  /// Returns whether a process is in the namespace: its list of sockets then contains this one.
  ///
  /// Every user may read that list, while the namespace file of another user's process requires privileges.
  func isInNamespace(ofProcess id: UInt32) -> Bool {
    Self.isSocket(number, inNamespaceOfProcess: id)
  }

  /// Returns whether a process is in the namespace of a netlink socket, by the socket's inode.
  static func isSocket(_ number: UInt64, inNamespaceOfProcess id: UInt32) -> Bool {
    let text = String(number)
    // Each line ends with the inode of a socket. No list comes near the limit.
    let list = (try? SystemFile.contents(of: "/proc/\(id)/net/netlink", upTo: 1 << 22)) ?? []
    return String(decoding: list, as: UTF8.self).split(separator: "\n").contains { line in
      line.split(separator: " ").last.map { $0 == text } ?? false
    }
  }
}
#endif
