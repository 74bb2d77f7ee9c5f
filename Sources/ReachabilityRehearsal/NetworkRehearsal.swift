// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import NetworkCopy
import POSIX
import ReachabilityKit
import Synchronization

/// A copy of this machine's network, in which commands run to see what they would change.
///
/// The kernel itself answers in the copy, so there is no model of routing that could differ from it. The copy and all
/// processes in it vanish with this value, or with this process. Linux only; see <doc:BeforeYouChangeTheNetwork> for what a
/// copy lacks, and for what a command in it can do.
///
/// ```swift
/// import ReachabilityKit
/// import ReachabilityRehearsal
///
/// let rehearsal = try await NetworkRehearsal(of: [try ReachabilityTarget("10.9.0.7")])
/// _ = try rehearsal.run(["ip", "link", "set", "eth0", "down"])
/// print(rehearsal.differences().targets[0].after)
/// ```
public final class NetworkRehearsal: Sendable {
  /// A part of the network that the copy lacks, or that differs there.
  public struct MissingPart: Hashable, Sendable, CustomStringConvertible {
    /// The part and the reason, for example `the route to 10.9.0.0/16: Invalid argument`.
    public let description: String
  }

  /// How a command ended.
  public enum CommandEnd: Hashable, Sendable {
    /// It exited with this status.
    case exited(Int32)
    /// This signal ended it.
    case signalled(Int32)
    /// Its time was over.
    case timedOut
    /// It did not begin, for this reason.
    case notStarted(String)
  }

  /// What the copy lacks; empty for most networks.
  public let missingParts: [MissingPart]
  /// The targets whose statuses are compared.
  public let targets: [ReachabilityTarget]

  let cell: Cell
  let copy: Mutex<NetworkCopy>
  let gaps: [CopyGap]
  let reader: NetworkReader
  let monitor: ReachabilityMonitor
  let before: State
  let original: State
  let connections: [ConnectionList.Item]
  /// The indexes of the links that have others in the copy.
  let indexes: [Int32: Int32]
  /// A client of the real network, and the rules there when it was copied.
  let real: Mutex<RouteClient>
  let realRules: [[Rule]]
  /// Whether the real network did not change while it was listed.
  let wasStable: Bool
  /// The interfaces that have the local addresses of the connections, and those over which their packets leave.
  let holders: [NetworkReader.Holder?]
  let outlets: [NetworkReader.Holder?]
  /// Whether each connection's other end was reachable in the copy before the change.
  let reachable: [Bool]
  /// What lookups do not show, before the change.
  let stateBefore: CopyState?

  /// The answers of a network at one moment.
  struct State: Sendable {
    var statuses: [ReachabilityStatus]
    var path: ReachabilityPath
    var routes: [Result<RouteMessage, Errno>?]
    var locals: [Result<RouteMessage, Errno>?] = []
    /// The links that the commands have switched on.
    var risen: Set<String> = []
    /// What is not known because of the commands.
    var gaps: [CopyGap] = []
    /// Whether a name server can be reached, or none is configured.
    var hasNameServer: Bool { path.nameServers.isEmpty || path.nameServers.contains { $0.reason == nil } }
  }

  /// Copies this machine's network.
  ///
  /// It takes some milliseconds for each link, and some seconds for a full routing table of the Internet. Works as root and, where
  /// the system permits user namespaces, as an ordinary user; from Linux 5.12 on.
  ///
  /// - Parameters:
  ///   - targets: The targets to compare. The names of hosts are looked up in the real network.
  ///   - program: The path of the program `reachability-rehearse`, in which the commands run; `nil` to look in this program's
  ///     folder and in `PATH`.
  /// - Throws: ``NetworkRehearsalError`` if the copy cannot be made. Nothing runs then.
  public convenience init(
    of targets: [ReachabilityTarget] = [.defaultRoute], program: String? = nil
  ) async throws(NetworkRehearsalError) {
    var statuses: [ReachabilityStatus] = []
    let monitor: ReachabilityMonitor
    do {
      monitor = try ReachabilityMonitor()
      for target in targets { statuses.append(try await monitor.status(of: target)) }
    } catch {
      throw NetworkRehearsalError("could not copy the network: \(error)")
    }
    try self.init(of: targets, statuses, monitor: monitor, program: program)
  }

  /// Copies the network of the calling thread.
  ///
  /// - Parameter monitor: A monitor of that network, which has these statuses.
  package init(
    of targets: [ReachabilityTarget], _ statuses: [ReachabilityStatus], monitor: ReachabilityMonitor,
    program: String? = nil
  ) throws(NetworkRehearsalError) {
    guard let program = program ?? HelperProgram.path else {
      throw NetworkRehearsalError(
        "there is no program 'reachability-rehearse' in this program's folder or in PATH",
        hint: "install the package reachability-rehearse, or build the product of this name")
    }
    self.targets = targets
    self.monitor = monitor
    do {
      let snapshot = try NetworkSnapshot(over: KernelTransport())
      var client = RouteClient(over: try KernelTransport())
      let links = try client.links().entries
      let connections = try ConnectionList().items
      self.connections = connections
      var routes = [Result<RouteMessage, Errno>?](repeating: nil, count: connections.count)
      try client.lookUp(connections.count, request: { connections[$0].question }) {
        place, bytes, message throws(DecodingError) in
        routes[place] = try message.lookup(of: bytes)
      }
      realRules = client.allRules()
      real = Mutex(client)
      wasStable = snapshot.isStable
      original = State(statuses: statuses, path: monitor.path, routes: routes)
      cell = try Cell(program: program)
      let copy = try NetworkCopy(of: snapshot, in: cell)
      let indexes = copy.indexes
      self.indexes = indexes
      gaps = copy.gaps
      missingParts = gaps.filter { !$0.isAssumption }.map { MissingPart(description: $0.description) }
      self.copy = Mutex(copy)
      reader = try NetworkReader(
        events: try cell.takeSocket(), questions: try cell.takeSocket(), datagrams: try cell.datagramSocket(),
        rootUser: cell.rootUser,
        originals: links.map { $0.numbered(indexes) })
    } catch let error as CellFailure {
      throw NetworkRehearsalError(error.text, hint: HelperProgram.hint(for: error))
    } catch {
      throw NetworkRehearsalError("could not copy the network: \(error)")
    }
    before = State(
      statuses: zip(targets, statuses).map { [reader] in reader.status(of: $0, $1.addresses) },
      path: reader.path,
      routes: reader.routes(of: connections.map { [indexes] in $0.question.numbered(indexes) }))
    holders = connections.map { [reader] in reader.holder(of: $0.socket.local.unmapped) }
    reachable = connections.map { [reader] in reader.status(of: $0.target).isReachable }
    stateBefore = copy.withLock { $0.state() }
    outlets = before.routes.map { [reader] in reader.interface($0?.path.interface) }
  }

  /// Runs a command in the copy, and waits for its end.
  ///
  /// It runs as the root of a user namespace of its own, with the rights to change the copy and nothing else; see
  /// <doc:BeforeYouChangeTheNetwork>. Each command sees what those before it changed. After one whose time was over the copy is gone,
  /// and further commands fail.
  ///
  /// - Parameters:
  ///   - command: The command and its arguments, found in the usual folders.
  ///   - folder: The working folder; that of this process by default.
  ///   - timeout: The longest time that the command may take.
  ///   - outputLimit: The number of bytes of its output and errors together that are passed on.
  ///   - output: Receives the output and the errors of the command, in the order in which they arrive.
  /// - Throws: ``NetworkRehearsalError`` if the copy is gone.
  public func run(
    _ command: [String], in folder: String? = nil, timeout: Duration = .seconds(30),
    outputLimit: Int = 1 << 20,
    output: (ArraySlice<UInt8>) -> Void = { _ in }
  ) throws(NetworkRehearsalError) -> CommandEnd {
    guard let first = command.first, !first.isEmpty else {
      throw NetworkRehearsalError("the command is empty")
    }
    do throws(CellFailure) {
      let end = try cell.run(
        command, in: folder ?? WorkingFolder.current, timeout: timeout, outputLimit: outputLimit,
        output: output)
      return CommandEnd(end)
    } catch {
      throw NetworkRehearsalError(error.text)
    }
  }

  /// Runs a shell in the copy on this process's terminal, and waits for its end.
  ///
  /// - Throws: ``NetworkRehearsalError`` if the copy is gone, or standard input is no terminal.
  public func runShell() throws(NetworkRehearsalError) -> CommandEnd {
    do throws(CellFailure) {
      return CommandEnd(try cell.runOnTerminal(["sh"], in: WorkingFolder.current))
    } catch {
      throw NetworkRehearsalError(error.text)
    }
  }

  /// Returns the status of a target in the copy now.
  ///
  /// - Parameter target: An address, the default route, or a host among ``targets``: other names are not looked up, and unknown.
  public func status(of target: ReachabilityTarget) -> ReachabilityStatus {
    guard case .host = target.destination else { return reader.status(of: target) }
    guard let place = targets.firstIndex(of: target) else { return .unknown(.namesNotResolved) }
    return status(at: place, hasNameServer: true)
  }

  func status(at place: Int, hasNameServer: Bool) -> ReachabilityStatus {
    let known = original.statuses[place]
    guard case .host = targets[place].destination else { return reader.status(of: targets[place]) }
    // What was not found before is not found now.
    guard !known.addresses.isEmpty else { return known }
    return hasNameServer
      ? reader.status(of: targets[place], known.addresses) : .notReachable(.nameServerUnreachable)
  }
}

/// Why a change cannot be rehearsed.
public struct NetworkRehearsalError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What went wrong, for example `could not make a user namespace: Operation not permitted`.
  public let description: String
  /// What helps; `nil` if nothing is known to.
  public let hint: String?

  /// Creates an error.
  public init(_ description: String, hint: String? = nil) {
    (self.description, self.hint) = (description, hint)
  }
}

extension NetworkRehearsal.CommandEnd {
  fileprivate init(_ end: Cell.CommandEnd) {
    switch end {
    case .exited(let status): self = .exited(status)
    case .signalled(let signal): self = .signalled(signal)
    case .timedOut: self = .timedOut
    case .notStarted(let reason): self = .notStarted(reason)
    }
  }
}
