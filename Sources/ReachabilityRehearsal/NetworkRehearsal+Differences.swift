// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink
import NetworkCopy
import POSIX
import ReachabilityKit

extension NetworkRehearsal {
  /// Compares the copy as it is now with the real network as it was when it was copied.
  ///
  /// What the copy lacks makes the answers unknown that may depend on it, and so does a difference between the copy and the
  /// original before the first command. While the copy's kernel checks new IPv6 addresses for duplicates, which it does not use
  /// before, this waits for 10 seconds at most.
  public func differences() -> RehearsalDifferences {
    let state = copy.withLock { copy in
      copy.settle()
      return copy.state()
    }
    let path = reader.path
    var now = State(
      statuses: [], path: path, routes: reader.routes(of: connections.map { $0.question.numbered(indexes) }))
    let losesNames = original.hasNameServer && before.hasNameServer && !now.hasNameServer
    now.statuses = targets.indices.map { status(at: $0, hasNameServer: !losesNames) }
    if let state, let stateBefore {
      now.risen = state.risenLinks(since: stateBefore)
      if state.hasSwitchedLoopback(since: stateBefore) { now.gaps.append(.switchedLoopback) }
      if copy.withLock({ $0.hasAdvertisedDefault }), state.hasNewForwarding(since: stateBefore) {
        now.gaps.append(.advertisedDefault)
      }
    }
    now.locals = reader.routes(of: connections.map { $0.localQuestion.numbered(indexes) })
    var differences = RehearsalDifferences(
      pathBefore: original.path, pathAfter: path, isPathUnchanged: before.path.isAlike(path),
      isOutdated: isOutdated)
    if !before.path.isAlike(original.path) {
      differences.pathDoubt = "the copy differed before the change"
    } else {
      let answer = CopyGap.Answer(
        about: DefaultRoute.addresses, over: path.interfaceNames + original.path.interfaceNames,
        of: Cell.ownUser,
        isChanged: !before.path.isAlike(path), isReachable: path.status == .satisfied)
      differences.pathDoubt = gap(answer, now)?.doubt
    }
    for (place, target) in targets.enumerated() {
      differences.targets.append(change(of: target, at: place, now))
    }
    differences.connections = connections.indices.map { change(ofConnection: $0, now) }
    addShapes(state, to: &differences)
    addUsers(state, to: &differences)
    if state?.isCheckingAddresses == true {
      for (place, target) in differences.targets.enumerated()
      where target.doubt == nil && target.after.state == .notReachable {
        differences.targets[place].becomeUnknown(Self.checkedAddress)
      }
    }
    differences.caveats = caveats(state)
    return differences
  }

  private static let checkedAddress = "an address is still checked for duplicates, and not used before"

  /// Makes the answers doubtful that lead over links which are parts of others now, or have lost ports.
  private func addShapes(_ state: CopyState?, to differences: inout RehearsalDifferences) {
    func isOther(_ name: String?) -> Bool {
      guard let name, let before = stateBefore?.shapes[name], let now = state?.shapes[name] else {
        return false
      }
      return !now.leadsWhere(before)
    }
    func reason(_ name: String) -> String { "\(name) is a part of another link now, or has lost a port" }
    for (place, target) in differences.targets.enumerated()
    where target.doubt == nil && target.after.isReachable {
      guard let name = target.after.interfaceNames.first(where: { isOther($0) }) else { continue }
      differences.targets[place].becomeUnknown(reason(name))
    }
    for (place, connection) in differences.connections.enumerated() where connection.outcome == .kept {
      let names = [outlets[place]?.name, holders[place]?.name].compactMap(\.self)
      guard let name = names.first(where: { isOther($0) }) else { continue }
      (differences.connections[place].outcome, differences.connections[place].reason) = (.moved, reason(name))
    }
  }

  /// Makes all answers doubtful after a new rule about users that have other numbers in the copy.
  private func addUsers(_ state: CopyState?, to differences: inout RehearsalDifferences) {
    guard let state, let before = stateBefore, state.hasOtherUserRules(since: before, root: cell.rootUser)
    else {
      return
    }
    let reason = "a rule is about users who have other numbers in the copy"
    for place in differences.targets.indices {
      differences.targets[place].becomeUnknown(reason)
    }
    for place in differences.connections.indices {
      (differences.connections[place].outcome, differences.connections[place].reason) = (.unknown, reason)
    }
    differences.pathDoubt = reason
  }

  /// What may still happen, and what is not known of all connections.
  private func caveats(_ state: CopyState?) -> [String] {
    var caveats: [String] = []
    if cell.hasProcesses {
      caveats.append("the command left processes running, whose effects are not judged")
    }
    guard let state, let before = stateBefore else { return caveats + ["the copy could not be read"] }
    if state.hasEndingAddresses(since: before) {
      caveats.append("an address has a lifetime now, whose end is not judged")
    }
    if state.hasEndingRoutes(since: before) {
      caveats.append("a route has a lifetime now, whose end is not judged")
    }
    if state.isCheckingAddresses {
      caveats.append(Self.checkedAddress)
    }
    if connections.isEmpty { return caveats }
    if state.hasServiceRules {
      caveats.append("a rule is about the type of service, which is not known of connections")
    }
    if state.hasMarkRules, connections.contains(where: { $0.socket.mark == nil }) {
      caveats.append("a rule is about firewall marks, which only root can read from connections")
    }
    return caveats
  }

  private func change(of target: ReachabilityTarget, at place: Int, _ state: State)
    -> RehearsalDifferences.Target
  {
    let (real, now) = (original.statuses[place], state.statuses[place])
    var result = RehearsalDifferences.Target(target: target, before: real, after: now)
    let answer = CopyGap.Answer(
      about: real.addresses.map(\.address) + target.decisiveAddresses,
      over: now.interfaceNames + real.interfaceNames + target.interfaceNames, of: Cell.ownUser,
      isChanged: !now.isAlike(before.statuses[place]), isReachable: now.isReachable)
    if !before.statuses[place].isAlike(real) {
      result.doubt = "the copy differed before the change: \(before.statuses[place])"
    } else if let gap = gap(answer, state) {
      result.doubt = gap.doubt
    } else if real.state == .unknown {
      result.doubt = "its status was unknown before"
    }
    if result.doubt != nil {
      result.after = .unknown(.systemError)
    } else if now.isAlike(before.statuses[place]) {
      // The real one has what only the real network knows.
      result.after = real
    }
    return result
  }

  private func change(ofConnection place: Int, _ now: State) -> RehearsalDifferences.Connection {
    let item = connections[place]
    var result = RehearsalDifferences.Connection(
      local: item.socket.local.unmapped, localPort: item.socket.localPort,
      remote: item.socket.remote.unmapped,
      remotePort: item.socket.remotePort, user: item.socket.user, processes: item.processes,
      isSession: item.isSession,
      outcome: .kept)
    func conclude(_ outcome: RehearsalDifferences.Connection.Outcome, _ reason: String) {
      (result.outcome, result.reason) = (outcome, reason)
    }
    // A gateway that is the other end itself is none.
    func path(_ route: Result<RouteMessage, Errno>?) -> PacketPath? {
      var path = route?.path
      if path?.gateway == result.remote { path?.gateway = nil }
      return path
    }
    let (real, copied, after) = (
      path(original.routes[place])?.numbered(indexes), path(before.routes[place]), path(now.routes[place])
    )
    let outlet = reader.interface(after?.interface)
    let answer = CopyGap.Answer(
      about: [result.remote], over: [outlet?.name].compactMap(\.self), of: result.user,
      isChanged: after != copied,
      isReachable: after?.refusal == nil)
    if real == nil || real != copied {
      conclude(.unknown, "the copy differed before the change")
    } else if let gap = gap(answer, now) {
      conclude(.unknown, gap.doubt)
    } else if let local = now.locals[place], (try? local.get().kind) != .local {
      conclude(.lost, "its local address disappears")
    } else if after == nil {
      conclude(.unknown, "the kernel did not answer")
    } else if let refusal = after?.refusal {
      conclude(.lost, refusal)
    } else if let outlet, outlet.isDormant,
      outlets[place]?.isDormant == false || outlets[place]?.index != outlet.index
    {
      conclude(.unknown, "\(outlet.name) is dormant: its packets leave, but may get no further")
    } else if let outlet, !outlet.isUp, outlets[place]?.isUp == true || outlets[place]?.index != outlet.index
    {
      conclude(.lost, "\(outlet.name) carries no packets")
    } else if reachable[place], let reason = item.failure(reader.status(of: item.target)) {
      conclude(.lost, reason)
    } else if after == real {
      // Answers arrive over the interface that has the address, at least if nothing unusual is set up.
      guard holders[place]?.isUp == true, let holder = reader.holder(of: result.local), !holder.isUp else {
        return result
      }
      conclude(.moved, "answers to its local address arrive over \(holder.name), which carries no packets")
    } else {
      conclude(
        .moved,
        "its packets leave over \(outlet?.name ?? "another interface")"
          + (after?.gateway.map { " via \($0)" } ?? ""))
    }
    return result
  }

  /// What makes an answer doubtful.
  private func gap(_ answer: CopyGap.Answer, _ now: State) -> CopyGap? {
    let deciding = (gaps + now.gaps).filter { $0.mayDecide(answer, risen: now.risen) }
    // What is missing counts for more than what is not known of a link.
    return deciding.first { !$0.isAssumption } ?? deciding.first
  }

  /// Whether the real network answers otherwise than when it was copied.
  private var isOutdated: Bool {
    let isOther = zip(targets, original.statuses).contains { target, status in
      !monitor.currentStatus(of: target).isAlike(status)
    }
    let rules = real.withLock { client in client.allRules() }
    return !wasStable || isOther || rules != realRules || !monitor.path.isAlike(original.path)
  }
}

extension RouteClient {
  /// Lists the policy rules of both families; those that cannot be listed are missing.
  mutating func allRules() -> [[Rule]] {
    [AddressFamily.ipv4, .ipv6].map { family in ((try? rules(family)) ?? .init()).entries }
  }
}

extension CopyGap {
  /// Why an answer is not known.
  fileprivate var doubt: String {
    let isKnown = isAssumption || [.switchedLoopback, .advertisedDefault].contains(self)
    return isKnown ? description : "the copy lacks \(description)"
  }
}

extension ReachabilityStatus {
  /// Why no packets leave, in words; `nil` if they do, or if that is not known.
  var failure: String? { state == .notReachable ? reason?.description ?? "not reachable" : nil }

  /// The interfaces that it names.
  fileprivate var interfaceNames: [String] {
    ([interface] + underlays.map(\.interface)).compactMap { $0?.name }
      + addresses.flatMap(\.status.interfaceNames)
  }

  /// Whether packets take the same way, or fail for the same reason; the kinds of links are not compared.
  fileprivate func isAlike(_ other: ReachabilityStatus) -> Bool {
    state == other.state && reason == other.reason && interface?.name == other.interface?.name
      && gateway == other.gateway && source == other.source
      && flags.contains(.isLocalAddress) == other.flags.contains(.isLocalAddress)
  }
}

extension ReachabilityPath {
  fileprivate var interfaceNames: [String] { interfaces.map(\.interface.name) }

  /// Whether both have the same status and the same interfaces.
  fileprivate func isAlike(_ other: ReachabilityPath) -> Bool {
    status == other.status && reason == other.reason
      && interfaces.map(\.interface.name) == other.interfaces.map(\.interface.name)
      && reasonAgainstIPv4 == other.reasonAgainstIPv4 && reasonAgainstIPv6 == other.reasonAgainstIPv6
  }
}

extension ReachabilityTarget {
  /// The name of the interface that it is bound to.
  fileprivate var interfaceNames: [String] {
    if case .name(let name)? = interface { [name] } else { [] }
  }

  /// The addresses whose routes decide its status, without those of a host.
  fileprivate var decisiveAddresses: [ReachabilityAddress] {
    switch destination {
    case .address(let address): [address] + (source.map { [$0] } ?? [])
    case .defaultRoute: DefaultRoute.addresses
    case .host: []
    }
  }
}

extension ConnectionList.Item {
  /// Why its packets do not leave, by the status of its other end.
  fileprivate func failure(_ status: ReachabilityStatus) -> String? {
    // Without a route, the kernel takes the other end of a bound IPv4 socket for a neighbour.
    let isNeighbour = socket.boundInterface > 0 && socket.remote.unmapped.bitWidth == 32
    if isNeighbour, status.reason == .noRoute { return nil }
    return status.failure
  }
}

extension RehearsalDifferences.Target {
  /// Makes the status after the change unknown.
  fileprivate mutating func becomeUnknown(_ reason: String) {
    doubt = reason
    after = .unknown(.systemError)
  }
}

extension LinkMessage {
  /// The link with its index in the copy, and that of the link below.
  func numbered(_ indexes: [Int32: Int32]) -> LinkMessage {
    var link = self
    link.index = indexes[index] ?? index
    if lowerNamespace == nil { link.lower = lower.map { indexes[$0] ?? $0 } }
    link.master = master.map { indexes[$0] ?? $0 }
    return link
  }
}

extension RouteRequest {
  func numbered(_ indexes: [Int32: Int32]) -> RouteRequest {
    var request = self
    request.interface = interface.map { indexes[$0] ?? $0 }
    return request
  }
}

extension PacketPath {
  func numbered(_ indexes: [Int32: Int32]) -> PacketPath {
    var path = self
    path.interface = interface.map { indexes[$0] ?? $0 }
    return path
  }
}

/// The way of a connection's packets.
struct PacketPath: Equatable {
  var interface: Int32?
  var gateway: ReachabilityAddress?
  /// Whether the packets are wrapped in others.
  var isEncapsulated = false
  /// Why none leave.
  var refusal: String?
}

extension Result<RouteMessage, Errno> {
  var path: PacketPath {
    switch self {
    case .success(let route) where route.kind.sends:
      PacketPath(
        interface: route.interface, gateway: route.gateway, isEncapsulated: route.encapsulation != nil)
    case .success, .failure(.invalidArgument):
      PacketPath(refusal: ReachabilityStatus.Reason.blackhole.description)
    case .failure(.accessDenied): PacketPath(refusal: ReachabilityStatus.Reason.prohibited.description)
    case .failure(.hostUnreachable):
      PacketPath(refusal: ReachabilityStatus.Reason.unreachableRoute.description)
    case .failure(.networkUnreachable): PacketPath(refusal: ReachabilityStatus.Reason.noRoute.description)
    case .failure(let error): PacketPath(refusal: error.description)
    }
  }
}
