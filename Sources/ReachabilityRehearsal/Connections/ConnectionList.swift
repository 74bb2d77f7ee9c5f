// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import POSIX
import ReachabilityKit

/// The TCP connections of this machine to other ones, with their owners.
struct ConnectionList: Sendable {
  /// A connection, and what its packets are routed by.
  struct Item: Sendable {
    var socket: SocketMessage
    var processes: [String] = []
    var isSession = false

    /// The route of its packets: as the kernel looks it up for each.
    var question: RouteRequest {
      RouteRequest(
        socket.remote.unmapped, source: socket.local.unmapped,
        interface: socket.boundInterface > 0 ? Int32(bitPattern: socket.boundInterface) : nil,
        mark: socket.mark,
        userID: socket.user, protocolNumber: 6, sourcePort: socket.localPort,
        destinationPort: socket.remotePort)
    }

    /// Its other end as a target, whose status has also what is below a tunnel.
    var target: ReachabilityTarget {
      ReachabilityTarget(
        .address(socket.remote.unmapped), source: socket.local.unmapped,
        interface: socket.boundInterface > 0 ? .index(Int(socket.boundInterface)) : nil, transport: .tcp,
        port: socket.remotePort)
    }

    /// The route to its local address, which is one of this machine while a packet from there may leave.
    var localQuestion: RouteRequest {
      let local = socket.local.unmapped
      return RouteRequest(local, interface: local.needsZone ? question.interface : nil)
    }
  }

  private(set) var items: [Item] = []

  /// Lists the connections that exchange segments.
  init() throws(NetlinkError) {
    let transport: KernelTransport
    do throws(Errno) {
      transport = try KernelTransport(.socketDiagnosis)
    } catch {
      throw NetlinkError(.system, attempt: "open a socket for the list of sockets", errno: error)
    }
    var client = SocketClient(over: transport)
    var sockets: [SocketMessage] = []
    try client.connections(restart: { sockets = [] }) { socket in
      // Those that are closed have no process that would miss them.
      if socket.state == .established || socket.inode != 0 { sockets.append(socket) }
    }
    // Those within this machine do not depend on its links.
    sockets.removeAll { $0.remote.unmapped == $0.local.unmapped || $0.remote.unmapped.isLoopback }
    let owners = SocketOwners(of: Set(sockets.map(\.inode)))
    items = sockets.map { socket in
      Item(
        socket: socket, processes: owners.names[socket.inode] ?? [],
        isSession: owners.isSession(socket))
    }
    // The one over which the command is typed, then the others by their remote end.
    items.sort {
      (($0.isSession ? 0 : 1), $0.socket.remote.description, $0.socket.remotePort)
        < (($1.isSession ? 0 : 1), $1.socket.remote.description, $1.socket.remotePort)
    }
  }
}

/// The processes that have sockets open, as far as this one may see that.
private struct SocketOwners {
  /// The names of the processes, by the number of the socket's file.
  private(set) var names: [UInt32: [String]] = [:]
  /// The sockets of the processes that this one descends from.
  private var sessionInodes: Set<UInt32> = []
  /// The ends of the connection over which the user is logged in, by `SSH_CONNECTION`.
  private let session: [Substring]

  /// The number of processes, and of descriptors of each, that are looked at.
  private static let limit = 100_000

  init(of inodes: Set<UInt32>) {
    let variables = (try? SystemFile.contents(of: "/proc/self/environ", upTo: 1 << 20)) ?? []
    let prefix = "SSH_CONNECTION="
    session =
      variables.split(separator: 0).lazy.map { String(decoding: $0, as: UTF8.self) }
      .first { $0.hasPrefix(prefix) }?.dropFirst(prefix.count).split(separator: " ") ?? []
    guard !inodes.isEmpty else { return }
    let ancestors = Set(Self.ancestors())
    for entry in SystemFile.entries(of: "/proc", upTo: Self.limit) {
      guard let process = Int(entry) else { continue }
      for descriptor in SystemFile.entries(of: "/proc/\(process)/fd", upTo: Self.limit) {
        guard let target = SystemFile.target(ofLink: "/proc/\(process)/fd/\(descriptor)"),
          target.hasPrefix("socket:["), let inode = UInt32(target.dropFirst(8).dropLast()),
          inodes.contains(inode)
        else { continue }
        if ancestors.contains(process) { sessionInodes.insert(inode) }
        let name = SystemFile.line(of: "/proc/\(process)/comm", upTo: 4096) ?? "process \(process)"
        if names[inode]?.contains(name) != true { names[inode, default: []].append(name) }
      }
    }
  }

  /// Whether the user is logged in over a connection: four words, the remote end first; or a process that this one descends
  /// from has it open.
  func isSession(_ socket: SocketMessage) -> Bool {
    guard session.count == 4 else { return sessionInodes.contains(socket.inode) }
    return session.map(String.init) == [
      socket.remote.unmapped.description, "\(socket.remotePort)", socket.local.unmapped.description,
      "\(socket.localPort)",
    ]
  }

  /// The processes that this one descends from.
  private static func ancestors() -> [Int] {
    var found: [Int] = []
    var process = "self"
    while found.count < 64, let text = SystemFile.line(of: "/proc/\(process)/stat", upTo: 4096),
      // The name is in parentheses, and may have any character.
      let end = text.lastIndex(of: ")"),
      let parent = text[end...].split(separator: " ").dropFirst(2).first.flatMap({ Int($0) }),
      parent > 1
    {
      found.append(parent)
      process = "\(parent)"
    }
    return found
  }
}
