// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink
import POSIX

/// The next hops of observed answers and of other links' default routes, by the states of their neighbour entries.
///
/// Between default routes of equal metric, between IPv6 routers that advertise themselves, and with
/// `fib_multipath_use_neigh`, the kernel chooses the next hop by these states. It announces the states, but no route.
/// Pure: messages and times go in as values.
struct NextHopWatch: Sendable {
  struct NextHop: Hashable, Sendable {
    let address: ReachabilityAddress
    let interface: Int32
  }

  /// What the kernel's choice depends on.
  private enum State: Sendable {
    /// Confirmed recently, or without need.
    case confirmed
    /// Confirmed some time ago, or not resolved lately.
    case unconfirmed
    /// Removed at the moment. Nothing is announced when a packet makes the kernel resolve it again.
    case removed(Moment)
    case failed

    var isDoubtful: Bool {
      switch self {
      case .removed, .failed: true
      case .confirmed, .unconfirmed: false
      }
    }
  }

  private var states: [NextHop: State] = [:]
  /// The next hops in the order in which they were found.
  private var order: [NextHop] = []
  /// The next hop that was recorded last, since many answers in a row name the same.
  private var last: NextHop?
  /// The next hops whose entries are not watched yet, with the question that found each.
  private var found: [NextHop: RouteRequest] = [:]
  /// The links whose default routes may differ from those that were looked up.
  private enum OutdatedLinks: Equatable {
    case none
    case only(Int32)
    case all
  }

  private var outdated = OutdatedLinks.none
  /// Whether there is a VRF: packets that are bound to it take the routes of other links.
  private var hasVRF = true
  private var nextCheck: Moment?

  /// The number of next hops that are watched, the latest ones.
  private static var limit: Int { 128 }
  /// The number of links whose default routes are looked up.
  private static var linkLimit: Int { 32 }
  /// The interval of evaluations while an entry is doubtful: a packet that begins a resolution changes the choice.
  private static var interval: Duration { .seconds(1) }
  /// The time after the removal of an entry during which a resolution may begin and fail without an announcement.
  private static var removalTime: Duration { .seconds(5) }

  /// Records the next hops of an answer.
  mutating func record(_ answer: RouteAnswer, to question: RouteRequest) {
    guard case .success(let route) = answer else { return }
    // Many answers in a row have one next hop, and the same.
    if route.nextHops.isEmpty, let last, last.address == route.gateway, last.interface == route.interface {
      return
    }
    record(answer.nextHops, to: question)
  }

  mutating func record(_ hops: [NextHop], to question: RouteRequest) {
    for hop in hops where hop != last { add(hop, question) }
  }

  @inline(never)
  private mutating func add(_ hop: NextHop, _ question: RouteRequest) {
    last = hop
    if states[hop] == nil { found[hop] = question }
  }

  /// Records that links, addresses or rules changed.
  mutating func recordChange() { outdated = .all }

  /// Records the announcement of a default route.
  ///
  /// An IPv4 route that names a link decides only about packets that are bound to that link, or to its VRF. But the route that
  /// it replaces is not announced.
  mutating func recordChange(of route: borrowing RouteMessage, isRemoved: Bool) {
    guard let link = route.interface, route.family == .ipv4, route.kind == .unicast, !route.isReplacement,
      !hasVRF, outdated == .none || outdated == .only(link)
    else { return recordChange() }
    // Only a removed route can uncover another one.
    if !isRemoved, let last, last.address == route.gateway, last.interface == link { return }
    outdated = .only(link)
  }

  /// Whether default routes have to be looked up.
  var needsDefaults: Bool { outdated != .none }

  /// The query for the default route over the only link for which it is outdated; `nil` if there are several, or none.
  mutating func onlyDefaultQuestion() -> RouteRequest? {
    guard case .only(let index) = outdated else { return nil }
    outdated = .none
    return RouteRequest(DefaultRoute.candidates[0][0], interface: index, form: .entry)
  }

  /// The queries for the default routes over each link, whose next hops the kernel may choose next.
  mutating func defaultQuestions(of network: NetworkState) -> [RouteRequest] {
    outdated = .none
    hasVRF = network.links.values.contains { $0.interface.linkType == "vrf" }
    for hop in order where network.links[hop.interface] == nil { states[hop] = nil }
    order.removeAll { states[$0] == nil }
    last = nil
    let links = network.links.values.filter(\.mayHaveNextHop)
    return links.map(\.index).sorted().prefix(Self.linkLimit).flatMap { index in
      DefaultRoute.candidates.map { RouteRequest($0[0], interface: index, form: .entry) }
    }
  }

  /// Whether next hops were found that are not watched yet.
  var hasUnwatched: Bool { needsDefaults || !found.isEmpty }

  /// Removes the next hops that are not watched yet.
  mutating func removeFound() -> [NextHop: RouteRequest] {
    defer { found = [:] }
    for hop in found.keys {
      states[hop] = .unconfirmed
      order.append(hop)
    }
    while order.count > Self.limit { states[order.removeFirst()] = nil }
    last = nil
    return found
  }

  var addresses: [ReachabilityAddress] { Array(Set(order.map(\.address))) }

  // MARK: States

  /// What the state of an entry means for the statuses.
  struct Effect: OptionSet {
    let rawValue: UInt8

    /// The kernel may choose another next hop now.
    static let choice = Effect(rawValue: 1)
    /// The next hop did not answer, and does again.
    static let recovery = Effect(rawValue: 2)
  }

  /// Applies the state of an entry.
  mutating func apply(_ message: NeighbourMessage, isRemoved: Bool, now: Moment) -> Effect {
    guard let address = message.destination,
      let old = states[NextHop(address: address, interface: message.index)]
    else { return [] }
    let new: State =
      if isRemoved {
        .removed(now)
      } else if message.state.contains(.failed) {
        .failed
      } else if message.state.isDisjoint(with: [.reachable, .permanent, .needless]) {
        .unconfirmed
      } else {
        .confirmed
      }
    states[NextHop(address: address, interface: message.index)] = new
    // A later check is early enough.
    if new.isDoubtful, nextCheck == nil { nextCheck = now.advanced(by: Self.interval) }
    switch (old, new) {
    case (.removed, .removed), (.failed, .failed), (.confirmed, .confirmed), (.unconfirmed, .unconfirmed):
      return []
    default:
      if old.isDoubtful && !new.isDoubtful { return [.choice, .recovery] }
      return new.isDoubtful || hasAlternative(to: address) ? .choice : []
    }
  }

  /// Whether another next hop of the family is known: a router alone is used whether or not it is confirmed.
  private func hasAlternative(to address: ReachabilityAddress) -> Bool {
    order.count { $0.address.bitWidth == address.bitWidth } > 1
  }

  /// The moment of the next call to ``isCheckDue(_:)``.
  var deadline: Moment? { nextCheck }

  /// Returns whether to evaluate again because an entry is doubtful.
  mutating func isCheckDue(_ now: Moment) -> Bool {
    guard let moment = nextCheck, moment <= now else { return false }
    var isDoubtful = false
    for (hop, state) in states {
      switch state {
      case .confirmed, .unconfirmed: continue
      // A multipath route may have another next hop, which no answer has named.
      case .removed(let moment):
        if moment.duration(to: now) > Self.removalTime {
          states[hop] = .unconfirmed
        } else {
          isDoubtful = true
        }
      case .failed:
        if hasAlternative(to: hop.address) { isDoubtful = true }
      }
    }
    nextCheck = isDoubtful ? now.advanced(by: Self.interval) : nil
    return isDoubtful
  }
}

extension RouteAnswer {
  /// The next hops of the route.
  var nextHops: [NextHopWatch.NextHop] {
    guard case .success(let route) = self else { return [] }
    var hops: [NextHopWatch.NextHop] = []
    if let gateway = route.gateway, let interface = route.interface {
      hops.append(.init(address: gateway, interface: interface))
    }
    for hop in route.nextHops {
      if let gateway = hop.gateway { hops.append(.init(address: gateway, interface: hop.interface)) }
    }
    return hops
  }
}

extension LinkState {
  fileprivate var mayHaveNextHop: Bool { interface.kind != .loopback && condition != .down }
}

extension NetworkTracker {
  /// Watches the neighbour entries of the next hops that were found since the last call.
  ///
  /// Then reads their states and looks up a route over each again, so that no change falls between.
  @inline(never)
  mutating func watchNextHops() {
    if let question = tables.nextHops?.onlyDefaultQuestion(), (try? query(question)) != nil,
      let answer = try? subscription.readAnswer()
    {
      if case .success = answer { tables.nextHops?.record(RouteAnswer(answer), to: question) }
      // Mostly, the next hop is known.
      if tables.nextHops?.hasUnwatched == false, subscription.watchesNeighbours { return }
    }
    guard var watch = tables.nextHops.take() else { return }
    defer { tables.nextHops = watch }
    if watch.needsDefaults {
      let questions = watch.defaultQuestions(of: tables.evaluator.network)
      lookUp(questions) { watch.record($1, to: questions[$0]) }
    }
    let found = watch.removeFound()
    guard subscription.watchNeighbours(watch.addresses), !found.isEmpty else { return }
    for hop in found.keys {
      guard let entry = try? client.neighbour(hop.address, on: hop.interface) else { continue }
      _ = watch.apply(entry, isRemoved: false, now: .now)
    }
    let plain = found.filter { $0.value.form != .entry }
    var isChanged = false
    let questions = plain.map(\.value)
    lookUp(questions) { position, answer in
      guard case .success(let reply) = answer, let gateway = reply.gateway, let interface = reply.interface,
        plain[NextHopWatch.NextHop(address: gateway, interface: interface)] == questions[position]
      else {
        isChanged = true
        return
      }
    }
    if isChanged { tables.recordLostNextHop() }
  }

  /// Returns whether to evaluate again because the entry of a next hop is doubtful.
  mutating func isNextHopCheckDue() -> Bool {
    // Mostly none is, and no clock is read.
    tables.nextHops?.deadline != nil && tables.nextHops?.isCheckDue(.now) == true
  }
}
#endif
