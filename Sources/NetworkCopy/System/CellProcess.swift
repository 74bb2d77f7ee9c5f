// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import CPOSIX
import Netlink
import POSIX

/// The side of a cell that is in it: a process that makes its namespaces, and a second one that runs commands there.
///
/// The namespaces live as long as the second process, which is the first of its PID namespace: with it, the kernel ends all
/// that the commands have started. It ends itself when the other side closes the socket, or ends.
package enum CellProcess {
  /// The name by which the program runs as a cell.
  package static let name = "reachability-cell"
  /// The descriptor of the socket to the other side.
  static var socket: CInt { 3 }

  /// Runs the process to its end.
  ///
  /// Call it before other threads exist.
  package static func run() -> Never {
    do throws(CellFailure) {
      try makeNamespaces()
    } catch {
      try? DescriptorMessage(CellMessage.failure(error.text)).send(over: socket)
    }
    _exit(1)
  }

  private static func makeNamespaces() throws(CellFailure) {
    setsid()
    // What the other side had open and did not mean to pass on.
    _ = cposix_close_from(UInt32(socket) + 1)
    // The kernel ends these processes first where memory is short.
    try? SystemFile.write("1000", to: "/proc/self/oom_score_adj")
    let outside = NamespaceIdentities.current
    try check("make a user namespace", unshare(CloneKind.user))
    try send(.init(CellMessage.user))
    guard try receive().bytes == CellMessage.mapped else { _exit(1) }
    // The groups can't be given up where the map of groups was written by an ordinary user.
    _ = setgroups(0, nil)
    try check("become the root of a user namespace", setgid(0) | setuid(0))
    try check("make a network namespace", unshare(CloneFlags.network.rawValue))
    let farNamespace = try descriptor(
      "open a network namespace", unsafe open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC))
    let far = try netlinkSocket()
    try check(
      "make namespaces",
      unshare(
        CloneFlags.network.rawValue | CloneFlags.mounts.rawValue | CloneKind.processes | CloneKind.ipc
          | CloneKind.names
          | CloneKind.cgroups))
    var near: [FileDescriptorBox] = []
    for _ in 0..<CellMessage.nearCount { near.append(try netlinkSocket()) }
    let datagrams = try datagramSocket()
    try send(
      DescriptorMessage(
        CellMessage.sockets, [farNamespace.rawValue, far.rawValue, datagrams.rawValue] + near.map(\.rawValue))
    )
    let child = cns_fork()
    try check("start a process", child)
    if child == 0 { serve(outside: outside) }
    _ = close(socket)
    ChildProcess.status(atEndOf: child)
    _exit(0)
  }

  private static func serve(outside: NamespaceIdentities) -> Never {
    do throws(CellFailure) {
      _ = cposix_process_control(Confinement.Control.parentDeathSignal, UInt(SIGKILL), 0)
      do throws(MountError) {
        try FileTree.enter()
      } catch {
        throw CellFailure(error.description)
      }
      // Commands of the same user must not read or write here: PR_SET_DUMPABLE.
      try check("protect a process", cposix_process_control(4, 0, 0))
      try send(.init(CellMessage.ready))
      while let message = try? DescriptorMessage.receive(over: socket) {
        try CellServer.answer(message, outside: outside)
        for descriptor in message.descriptors { _ = close(descriptor) }
      }
    } catch {
      try? DescriptorMessage(CellMessage.failure(error.text)).send(over: socket)
    }
    // The first process of a PID namespace: the kernel ends all others of it.
    _exit(0)
  }

  static func check(_ attempt: String, _ result: CInt) throws(CellFailure) {
    guard result < 0 else { return }
    throw CellFailure(attempt, .last)
  }

  private static func descriptor(_ attempt: String, _ result: CInt) throws(CellFailure) -> FileDescriptorBox {
    try check(attempt, result)
    return FileDescriptorBox(rawValue: result)
  }

  /// A socket for IPv6 datagrams, or for those of IPv4 where the kernel has no IPv6.
  private static func datagramSocket() throws(CellFailure) -> FileDescriptorBox {
    let kind = SocketKind.datagrams.rawValue | DescriptorFlags.closeOnExec.rawValue
    let socket = CLibrary.socket(AF_INET6, kind, 0)
    return try descriptor("open a socket", socket >= 0 ? socket : CLibrary.socket(AF_INET, kind, 0))
  }

  private static func netlinkSocket() throws(CellFailure) -> FileDescriptorBox {
    do throws(Errno) {
      return FileDescriptorBox(try FileDescriptor.netlinkSocket(.route))
    } catch {
      throw CellFailure("open a netlink socket", error)
    }
  }

  static func send(_ message: DescriptorMessage) throws(CellFailure) {
    do throws(Errno) {
      try message.send(over: socket)
    } catch {
      throw CellFailure("send a message", error)
    }
  }

  private static func receive() throws(CellFailure) -> DescriptorMessage {
    do throws(Errno) {
      if let message = try DescriptorMessage.receive(over: socket) { return message }
    } catch {
      throw CellFailure("receive a message", error)
    }
    // The other side has ended.
    _exit(1)
  }
}

/// A descriptor in a list.
private final class FileDescriptorBox {
  let rawValue: CInt

  init(rawValue: CInt) { self.rawValue = rawValue }

  init(_ descriptor: consuming FileDescriptor) {
    // A copy, since the owner closes its own.
    rawValue = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
  }

  deinit { _ = close(rawValue) }
}

/// Why a cell could not be made, in words.
package struct CellFailure: Error, Equatable, Sendable {
  package var text: String

  init(_ text: String) { self.text = text }

  init(_ attempt: String, _ error: Errno) { text = "could not \(attempt): \(error)" }
}

/// The kinds of namespaces that the C library does not declare, `CLONE_NEW…`.
enum CloneKind {
  static var cgroups: CInt { 0x0200_0000 }
  static var names: CInt { 0x0400_0000 }
  static var ipc: CInt { 0x0800_0000 }
  static var user: CInt { 0x1000_0000 }
  static var processes: CInt { 0x2000_0000 }
}

/// The namespaces of a process, by the numbers of their files.
struct NamespaceIdentities: Equatable {
  private var links: [String?]

  private static let kinds = ["user", "net", "mnt", "pid", "ipc"]

  static var current: NamespaceIdentities {
    NamespaceIdentities(links: kinds.map { SystemFile.target(ofLink: "/proc/self/ns/\($0)") })
  }

  /// Whether each is known, and another one than there.
  func differ(from other: NamespaceIdentities) -> Bool {
    zip(links, other.links).allSatisfy { $0 != nil && $1 != nil && $0 != $1 }
  }
}

/// The contents of the messages, which begin with a letter.
enum CellMessage {
  static let user = Array("user".utf8)
  static let mapped = Array("mapped".utf8)
  static let sockets = Array("sockets".utf8)
  static let ready = Array("ready".utf8)
  /// The number of rtnetlink sockets in the copy.
  static let nearCount = 3

  static func failure(_ text: String) -> [UInt8] { [UInt8(ascii: "!")] + text.utf8.prefix(1000) }

  /// Words, each with a terminating zero.
  static func words(_ kind: Character, _ words: [String]) -> [UInt8] {
    Array(String(kind).utf8) + words.flatMap { Array($0.utf8) + [0] }
  }

  static func words(in bytes: [UInt8]) -> [String] {
    var words = bytes.dropFirst().split(separator: 0, omittingEmptySubsequences: false)
    if !words.isEmpty { words.removeLast() }
    return words.map { String(decoding: $0, as: UTF8.self) }
  }
}
