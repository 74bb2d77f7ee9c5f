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
    /// Removed at the moment. While a packet has the kernel resolve it again, nothing is announced.
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
  /// Whether the links or their default routes changed since the default routes of all links were looked up.
  private(set) var needsDefaults = false
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
    guard case .success(let reply) = answer else { return }
    if let gateway = reply.gateway, let interface = reply.interface,
      last?.address != gateway || last?.interface != interface
    {
      let hop = NextHop(address: gateway, interface: interface)
      last = hop
      add(hop, question)
    }
    for hop in reply.nextHops {
      if let gateway = hop.gateway { add(NextHop(address: gateway, interface: hop.interface), question) }
    }
  }

  @inline(never)
  private mutating func add(_ hop: NextHop, _ question: RouteRequest) {
    if states[hop] == nil { found[hop] = question }
  }

  /// Records that links, addresses, rules or default routes changed.
  mutating func recordChange() { needsDefaults = true }

  /// The queries for the default routes over each link, whose next hops the kernel may choose next.
  mutating func defaultQuestions(of network: NetworkState) -> [RouteRequest] {
    needsDefaults = false
    for hop in order where network.links[hop.interface] == nil { states[hop] = nil }
    order.removeAll { states[$0] == nil }
    last = nil
    let links = network.links.values.filter { $0.interface.kind != .loopback && $0.condition != .down }
    return links.map(\.index).sorted().prefix(Self.linkLimit).flatMap { index in
      DefaultRoute.candidates.map { RouteRequest($0[0], interface: index, form: .entry) }
    }
  }

  /// Whether next hops were found that are not watched yet.
  var hasNews: Bool { needsDefaults || !found.isEmpty }

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

  mutating func forgetAll() { self = NextHopWatch() }

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
    for (hop, state) in states where state.isDoubtful && hasAlternative(to: hop.address) {
      if case .removed(let moment) = state, moment.duration(to: now) > Self.removalTime {
        states[hop] = .unconfirmed
      } else {
        isDoubtful = true
      }
    }
    nextCheck = isDoubtful ? now.advanced(by: Self.interval) : nil
    return isDoubtful
  }
}

extension NetworkTracker {
  /// Watches the neighbour entries of the next hops that were found since the last call.
  ///
  /// Then reads their states and looks up a route over each again, so that no change falls between.
  @inline(never)
  mutating func watchNextHops() {
    guard var watch = nextHops.take() else { return }
    defer { nextHops = watch }
    if watch.needsDefaults {
      let questions = watch.defaultQuestions(of: networkState)
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
    if isChanged { recordNextHopChange() }
  }

  /// Returns whether to evaluate again because the entry of a next hop is doubtful.
  mutating func isNextHopCheckDue() -> Bool {
    // Mostly none is, and no clock is read.
    nextHops?.deadline != nil && nextHops?.isCheckDue(.now) == true
  }
}
#endif
