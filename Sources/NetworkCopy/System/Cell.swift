// SPDX-License-Identifier: Apache-2.0
import CLibrary
import CNamespaces
import Netlink
import POSIX
import Synchronization

/// Two empty network namespaces, and a confined place for commands in the first one.
///
/// The namespaces and all processes of the cell end with this value, or with this process. Its sockets are sockets of the
/// namespaces that this process uses from outside: the kernel lets the owner of a user namespace administer it.
package final class Cell: Sendable {
  /// The socket to the cell's first process.
  private let channel: FileDescriptor
  private let process: pid_t
  /// The sockets of the first network namespace, for one use each.
  private let near: Mutex<[KernelTransport]>
  /// The socket of the second one.
  let far: KernelTransport
  /// A descriptor of the second network namespace.
  let farNamespace: FileDescriptor
  /// A socket for datagrams in the first network namespace.
  private let datagrams: FileDescriptor
  private let isReady = Mutex(false)
  private let leftProcesses = Mutex(0)

  /// The users that have a number in the cell's user namespace.
  package enum Users: Equatable, Sendable {
    /// Each has its own number, but the user 0, for whom this one stands.
    case all(root: UInt32)
    /// This one, whose number there is 0.
    case one(UInt32)
  }

  package let users: Users

  /// Whether the last command left processes behind, which may still change the copy.
  package var hasProcesses: Bool { leftProcesses.withLock { $0 > 0 } }

  /// The user who stands for the user 0 in the cell; `nil` if none does.
  package var rootUser: UInt32? { if case .all(let root) = users { root } else { nil } }

  /// Makes the namespaces.
  ///
  /// - Parameter program: The path of a program that calls ``CellProcess/run()`` where its name is ``CellProcess/name``.
  package init(program: String) throws(CellFailure) {
    var ends: [2 of CInt] = [-1, -1]
    var span = ends.mutableSpan
    let kind = SocketKind.sequencedPackets.rawValue | DescriptorFlags.closeOnExec.rawValue
    let result = unsafe span.withUnsafeMutableBufferPointer {
      unsafe socketpair(AF_UNIX, kind, 0, $0.baseAddress)
    }
    guard result == 0 else { throw CellFailure("open a socket", .last) }
    do throws(Errno) {
      channel = try FileDescriptor(owning: ends[0])
      process = try ChildProcess.start(
        [CellProcess.name], at: program, streams: [ends[1]: CellProcess.socket])
      _ = close(ends[1])
      try channel.setReceiveTimeout(seconds: Self.timeLimit)
    } catch {
      _ = close(ends[1])
      throw CellFailure("start \(program)", error)
    }
    var sockets: [CInt] = []
    do throws(CellFailure) {
      try Self.expect(CellMessage.user, over: channel.rawValue)
      users = try UserMap.write(for: process)
      try Self.send(.init(CellMessage.mapped), over: channel.rawValue)
      sockets = try Self.expect(CellMessage.sockets, over: channel.rawValue)
      guard sockets.count == 3 + CellMessage.nearCount else {
        throw CellFailure("the copy of the network has sent too few sockets")
      }
    } catch {
      kill(process, SIGKILL)
      ChildProcess.status(atEndOf: process)
      throw error
    }
    do throws(Errno) {
      farNamespace = try FileDescriptor(owning: sockets[0])
      far = try KernelTransport(owning: FileDescriptor(owning: sockets[1]))
      var near: [KernelTransport] = []
      for socket in sockets[3...] {
        near.append(try KernelTransport(owning: FileDescriptor(owning: socket)))
      }
      self.near = Mutex(near)
      datagrams = try FileDescriptor(owning: sockets[2])
    } catch {
      throw CellFailure("use a netlink socket", error)
    }
  }

  deinit {
    // The first process ends at the end of this socket, and this one with it.
    kill(process, SIGKILL)
    ChildProcess.status(atEndOf: process)
  }

  /// An rtnetlink socket of the first network namespace, which is then used up; there are three.
  package func takeSocket() throws(CellFailure) -> KernelTransport {
    guard let socket = near.withLock({ $0.popLast() }) else {
      throw CellFailure("the copy of the network has no more sockets")
    }
    return socket
  }

  /// A socket for IPv6 datagrams in the first network namespace, or of IPv4 where the kernel has no IPv6.
  package func datagramSocket() throws(CellFailure) -> FileDescriptor {
    do throws(Errno) {
      return try FileDescriptor(owning: fcntl(datagrams.rawValue, F_DUPFD_CLOEXEC, 0))
    } catch {
      throw CellFailure("copy a socket", error)
    }
  }

  /// Makes the kernel act on the changed carriers of links, for which it otherwise takes up to a second.
  func synchronizeLinks(_ names: [String]) {
    for name in names { _ = unsafe cns_synchronize_link(datagrams.rawValue, name) }
  }

  /// Changes settings of the first network namespace, in their order; returns the paths of those that were refused.
  package func change(_ settings: [(path: String, value: String)]) throws(CellFailure) -> [String] {
    try awaitReadiness()
    var refused: [String] = []
    // Far below the limit of a message.
    for start in stride(from: 0, to: settings.count, by: 200) {
      let part = settings[start..<min(start + 200, settings.count)]
      try Self.send(
        .init(CellMessage.words("s", part.flatMap { [$0.path, $0.value] })), over: channel.rawValue)
      refused += CellMessage.words(in: try receive().bytes)
    }
    return refused
  }

  /// Sends a request of rtnetlink from inside the cell's user namespace; returns why the kernel refused it.
  func request(_ type: MessageType, flags: MessageFlags, payload: [UInt8]) throws(CellFailure) -> String? {
    try awaitReadiness()
    let bytes = [UInt8(ascii: "k")] + type.rawValue.bytes + flags.rawValue.bytes + payload
    try Self.send(.init(bytes), over: channel.rawValue)
    let text = CellMessage.words(in: try receive().bytes).first
    return text?.isEmpty == false ? text : nil
  }

  /// How a command ended.
  package enum CommandEnd: Equatable, Sendable {
    case exited(Int32)
    case signalled(Int32)
    /// Its time was over; the cell is gone.
    case timedOut
    /// It did not begin, for this reason.
    case notStarted(String)
  }

  /// Runs a command to its end.
  ///
  /// - Parameters:
  ///   - hasTerminal: Whether the streams are a terminal, which becomes that of the command.
  ///   - timeout: The longest time that it may take; `nil` for no limit.
  ///   - relay: Called again and again while the command runs, with the longest time to wait in milliseconds; passes on
  ///     what the streams have.
  package func run(
    _ words: [String], in folder: String, streams: [CInt], hasTerminal: Bool = false, timeout: Duration?,
    relay: (CInt) -> Void
  ) throws(CellFailure) -> CommandEnd {
    try awaitReadiness()
    let request = CellMessage.words("r", [folder, hasTerminal ? "terminal" : ""] + words)
    guard request.count <= DescriptorMessage.limit else { throw CellFailure("the command is too long") }
    try Self.send(DescriptorMessage(request, streams), over: channel.rawValue)
    let began = try receive()
    if began.bytes.first == UInt8(ascii: "x") {
      return .notStarted(CellMessage.words(in: began.bytes).first ?? "")
    }
    let deadline = timeout.map { Moment.now.advanced(by: $0) }
    while true {
      if let deadline, Moment.now >= deadline {
        kill(process, SIGKILL)
        return .timedOut
      }
      var wanted = pollfd(fd: channel.rawValue, events: Int16(POLLIN), revents: 0)
      if unsafe poll(&wanted, 1, 0) > 0 { break }
      relay(20)
    }
    let words = CellMessage.words(in: try receive().bytes)
    guard words.count == 2, let status = Int32(words[0]), let left = Int(words[1]) else {
      throw CellFailure("the copy of the network has ended")
    }
    leftProcesses.withLock { $0 = left }
    return status & 0x7f == 0 ? .exited(status >> 8 & 0xff) : .signalled(status & 0x7f)
  }

  /// The user of this process's packets.
  package static var ownUser: UInt32 { getuid() }

  /// Lets time pass, for what the kernel does beside.
  static func pause(milliseconds: CInt) { _ = poll(nil, 0, milliseconds) }

  /// The seconds after which a cell counts as hanging: more than a busy machine takes to start one.
  private static var timeLimit: Int { 30 }

  private func awaitReadiness() throws(CellFailure) {
    try isReady.withLock { isReady throws(CellFailure) in
      if isReady { return }
      _ = try Self.expect(CellMessage.ready, over: channel.rawValue)
      isReady = true
    }
  }

  private func receive() throws(CellFailure) -> DescriptorMessage {
    try Self.receive(over: channel.rawValue)
  }

  private static func send(_ message: DescriptorMessage, over channel: CInt) throws(CellFailure) {
    do throws(Errno) {
      try message.send(over: channel)
    } catch {
      throw CellFailure("reach the copy of the network", error)
    }
  }

  private static func receive(over channel: CInt) throws(CellFailure) -> DescriptorMessage {
    let received: DescriptorMessage?
    do throws(Errno) {
      received = try DescriptorMessage.receive(over: channel)
    } catch .wouldBlock {
      throw CellFailure("the copy of the network has not answered for \(timeLimit) seconds")
    } catch {
      throw CellFailure("hear from the copy of the network", error)
    }
    guard let message = received else { throw CellFailure("the copy of the network has ended") }
    guard message.bytes.first != UInt8(ascii: "!") else {
      throw CellFailure(String(decoding: message.bytes.dropFirst(), as: UTF8.self))
    }
    return message
  }

  @discardableResult
  private static func expect(_ bytes: [UInt8], over channel: CInt) throws(CellFailure) -> [CInt] {
    let message = try receive(over: channel)
    guard message.bytes == bytes else {
      throw CellFailure("the copy of the network has sent another message than expected")
    }
    return message.descriptors
  }

  /// Opens a pipe to a command.
  static func openPipe() throws(CellFailure) -> (reading: CInt, writing: CInt) {
    do throws(Errno) { return try Pipe.open() } catch { throw CellFailure("open a pipe", error) }
  }
}

/// The users and the group of the cell: its root is this process's user, or for root an id that no user has.
private enum UserMap {
  static func write(for process: pid_t) throws(CellFailure) -> Cell.Users {
    do throws(Errno) {
      guard geteuid() == 0 else {
        // An ordinary user may map groups only where they cannot be given up.
        try SystemFile.write("deny", to: "/proc/\(process)/setgroups")
        try SystemFile.write("0 \(geteuid()) 1", to: "/proc/\(process)/uid_map")
        try SystemFile.write("0 \(getegid()) 1", to: "/proc/\(process)/gid_map")
        return .one(geteuid())
      }
      let (users, groups) = (try ranges("/proc/self/uid_map"), try ranges("/proc/self/gid_map"))
      let (user, group) = (try unusedID(in: users), try unusedID(in: groups))
      // The others keep their numbers, for rules that name them; no process of the cell can become one of them.
      let others = users.flatMap { range in
        [
          max(range.lowerBound, 1)..<min(max(user, 1), range.upperBound),
          max(user + 1, range.lowerBound)..<max(user + 1, range.upperBound),
        ]
      }.filter { !$0.isEmpty && range($0, isIn: users) }
      let lines = ["0 \(user) 1"] + others.map { "\($0.lowerBound) \($0.lowerBound) \($0.count)" }
      try SystemFile.write(lines.joined(separator: "\n"), to: "/proc/\(process)/uid_map")
      try SystemFile.write("0 \(group) 1", to: "/proc/\(process)/gid_map")
      return .all(root: UInt32(user))
    } catch {
      throw CellFailure("map the ids of a user namespace", error)
    }
  }

  private static func range(_ range: Range<UInt64>, isIn ranges: [Range<UInt64>]) -> Bool {
    ranges.contains { $0.lowerBound <= range.lowerBound && range.upperBound <= $0.upperBound }
  }

  /// The ids that this process's user namespace has.
  private static func ranges(_ map: String) throws(Errno) -> [Range<UInt64>] {
    let text = String(decoding: try SystemFile.contents(of: map, upTo: 1 << 16), as: UTF8.self)
    return text.split(separator: "\n").compactMap { line in
      let numbers = line.split(separator: " ").compactMap { UInt64($0) }
      return numbers.count == 3 ? numbers[0]..<numbers[0] + numbers[2] : nil
    }
  }

  /// One of them that distributions give to no user: not 0.
  private static func unusedID(in ranges: [Range<UInt64>]) throws(Errno) -> UInt64 {
    // Beyond what distributions give to containers, and beyond the ranges of most rules.
    let wanted = UInt64.random(in: 4_200_000_000..<4_294_000_000)
    if ranges.contains(where: { $0.contains(wanted) }) { return wanted }
    guard let last = ranges.map(\.upperBound).max(), last > 2 else { throw .notPermitted }
    return last - 2
  }
}
