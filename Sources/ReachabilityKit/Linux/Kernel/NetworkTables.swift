// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

/// The small tables, what is known from them, and the changes that announcements make.
///
/// Without sockets: announcements and entries go in. One owner at a time.
struct NetworkTables: ~Copyable, Sendable, AnnouncementReceiver {
  /// Whether the tables are the kernel's.
  enum State: Equatable {
    case current
    /// The tables changed each time they were read: an entry may be missing, so they are read again soon.
    case unsettled
    /// Messages were lost, or the tables were not read yet.
    case stale
    /// The last attempt to read messages or tables failed.
    case failed(NetlinkError)
  }

  var devices: LinkClassification
  /// Holds the tables in one place, so that no evaluation copies them.
  var evaluator = Evaluator(network: NetworkState())
  /// The changes that were not taken yet.
  var change = NetworkChange()
  /// The parts of `change` that the kernel may not have made yet.
  private(set) var nextUnfinished = UnfinishedChange()
  /// The same parts of the change that was taken last.
  private(set) var unfinished = UnfinishedChange()
  var cache = LookupCache()
  var state = State.stale
  /// The links that could not be read; 0 stands for any.
  var unreadableLinks: Set<Int32> = []
  /// Whether links or addresses changed since the tables were last settled.
  var hasChangedLinks = false
  /// Whether the rules changed since they were read.
  var areRulesStale = false
  /// The links whose IPv6 was switched on or off since they were read, which no message about a link says.
  var staleLinks: Set<Int32> = []
  /// The next hops of observed answers; `nil` where nothing is observed.
  var nextHops: NextHopWatch?
  /// What routers announce about captive portals.
  var portals = AnnouncedPortals()

  init(_ devices: LinkClassification) { self.devices = devices }

  /// Whether the tables must be read before they are used.
  var isStale: Bool { state != .current && state != .unsettled }

  /// Why the last attempt to read messages or tables failed; the tables then answer nothing.
  var failure: NetlinkError? { if case .failed(let error) = state { error } else { nil } }

  /// Whether a rule may match the user that packets belong to.
  // A call would copy this large value.
  @inline(__always)
  var mayMatchUsers: Bool { evaluator.network.matchesUsers || state != .current || areRulesStale }

  /// Whether a link exists that the tables lack because its entry could not be read.
  func isUnreadable(link index: Int32) -> Bool {
    unreadableLinks.contains(index) || unreadableLinks.contains(0)
  }

  /// Takes the entries that the kernel listed in place of the present ones.
  mutating func replace(
    links: Listing<LinkMessage>, addresses: Listing<AddressMessage>, rules: Listing<Rule>
  ) {
    unreadableLinks = Set(links.skipped)
    staleLinks = []
    evaluator.network = NetworkState()
    hasChangedLinks = true
    evaluator.network.update(rules.entries)
    evaluator.network.lacksAddresses = !addresses.skipped.isEmpty
    cache.removeAll()
    for (link, kind) in zip(links.entries, devices.readAnew(links.entries)) {
      _ = LinkState(link, since: nil, kind: kind).map { evaluator.network.update($0) }
      _ = evaluator.network.update(tunnel: RouteRequest(tunnel: link), of: link.index)
    }
    for address in addresses.entries {
      _ = evaluator.network.update(address)
    }
    portals.keep { evaluator.network.links[$0]?.condition == .up }
    nextHops?.recordChange()
    change.formUnion(.all)
  }

  /// Removes and returns the changes since the last call.
  mutating func dequeueChange() -> NetworkChange {
    unfinished = exchange(&nextUnfinished, with: UnfinishedChange())
    return exchange(&change, with: NetworkChange())
  }

  /// Records that the kernel has made what it announced before the last call of ``dequeueChange()``.
  mutating func finishChange() { unfinished = UnfinishedChange() }

  /// Forgets what only announcements keep true.
  mutating func stop() {
    nextHops = nil
    portals = AnnouncedPortals()
    change = NetworkChange()
    nextUnfinished = UnfinishedChange()
    state = .stale
  }

  // MARK: Announcements

  /// Applies an announcement, and adds its consequences to the change.
  mutating func receive(_ message: Message, of bytes: RawSpan) throws(DecodingError) {
    // The most frequent ones take no event.
    if message.announcesRoute(bytes) {
      let route = try RouteMessage(announcedBy: message, of: bytes)
      apply(route, isRemoved: message.header.type == .deleteRoute)
    } else {
      apply(try RouteEvent(message, of: bytes))
    }
  }

  /// Records that announcements were lost.
  mutating func receiveLoss() {
    beginChange()
    nextUnfinished.recordLoss()
    if !isStale { state = .stale }
  }

  /// Applies an event, and adds its consequences to the change.
  mutating func apply(_ event: consuming RouteEvent) {
    switch event {
    case .neighbour(let message): apply(message, isRemoved: false)
    case .neighbourRemoved(let message): apply(message, isRemoved: true)
    case .routerOption(let option): if portals.record(option, now: .now) { change.linkDetails = true }
    default: applyToTables(event)
    }
  }

  /// Adds the consequences of a route.
  ///
  /// The cache stays valid: an evaluation follows from the tables and from answers, which are queried again.
  private mutating func apply(_ message: borrowing RouteMessage, isRemoved: Bool) {
    if message.isOfIPv6Itself, let link = message.interface { staleLinks.insert(link) }
    // Callers take no change.
    guard nextHops != nil else { return }
    nextUnfinished.record(message, isRemoved: isRemoved)
    guard !message.flags.contains(.cloned), let prefix = message.prefix else { return }
    // The kernel announces a new IPv6 route just before lookups find it, under a lock that cannot be waited for.
    if prefix.length <= DefaultRoute.longestPrefix {
      nextHops?.recordChange(of: message, isRemoved: isRemoved)
    }
    let isImminent = !isRemoved && message.family == .ipv6
    change.insert(prefix, as: isImminent ? .imminent : .changed)
    if !evaluator.network.tunnels.isEmpty { applyToTunnels(prefix, isImminent: isImminent) }
  }

  /// Adds all destinations to a change of the routes to the other end of a tunnel.
  @inline(never)
  private mutating func applyToTunnels(_ prefix: IPPrefix, isImminent: Bool) {
    guard evaluator.network.tunnelAddresses.contains(where: prefix.contains) else { return }
    guard isImminent else { return change.formUnion(.all) }
    for prefix in IPPrefix.everything { change.insert(prefix, as: .imminent) }
  }

  /// Adds the consequences of a neighbour's state; the tables and the cache stay valid.
  @inline(never)
  private mutating func apply(_ message: borrowing NeighbourMessage, isRemoved: Bool) {
    guard let effect = nextHops?.apply(message, isRemoved: isRemoved, now: .now) else { return }
    if effect.contains(.choice) {
      if isRemoved { recordLostNextHop() } else { change.nextHops = true }
    }
    if effect.contains(.recovery) { change.routerReturned = true }
  }

  /// Records that the kernel may choose other next hops, perhaps since a link goes down.
  mutating func recordLostNextHop() {
    change.nextHops = true
    nextUnfinished.recordLoss()
  }

  /// Forgets what followed from the tables before a change.
  private mutating func beginChange() {
    cache.removeAll()
    nextHops?.recordChange()
  }

  // Apart, since announcements of routes are the most frequent ones, and this code is large.
  @inline(never)
  private mutating func applyToTables(_ event: consuming RouteEvent) {
    beginChange()
    nextUnfinished.record(event)
    switch event {
    case .link(var message):
      hasChangedLinks = true
      devices.describeOriginal(of: &message)
      // Wireless events leave out nearly all attributes.
      guard !message.isWirelessEvent else { return }
      let old = evaluator.network.links[message.index]
      guard let link = LinkState(message, since: old, kind: devices.kind(of: message)) else { return }
      // The network behind it may be another one when it is up again.
      if link.condition != .up { portals.forget(message.index) }
      // The kernel announces the MTU before it starts or ends IPv6. An older message may follow after a newer answer.
      if let old,
        link.ipv6 != old.ipv6 || (link.mtu < IPv6Support.leastMTU) != (old.mtu < IPv6Support.leastMTU)
      {
        staleLinks.insert(message.index)
      }
      let isTunnelChanged =
        !message.isPartial
        && evaluator.network.update(tunnel: RouteRequest(tunnel: message), of: message.index)
      if evaluator.network.update(link) || isTunnelChanged {
        change.formUnion(.all)
      } else if link.mtu != old?.mtu {
        change.linkDetails = true
      } else if message.changeMask == 0 {
        // No flag changed and nothing is new: the carrier may have been lost and found before the kernel announced it,
        // which it does once a second. Routes that were added meanwhile become usable with this message.
        change.formUnion(.all)
      }
    case .linkRemoved(let message):
      hasChangedLinks = true
      devices.forget(message.index)
      portals.forget(message.index)
      if evaluator.network.removeLink(message.index) { change.formUnion(.all) }
    case .address(let message):
      hasChangedLinks = true
      if evaluator.network.update(message) { change.formUnion(.all) }
    case .addressRemoved(let message):
      hasChangedLinks = true
      if evaluator.network.remove(message) { change.formUnion(.all) }
    case .rule, .ruleRemoved:
      areRulesStale = true
      change.formUnion(.all)
    case .nextHop, .configuration:
      change.formUnion(.all)
    case .other, .route, .routeRemoved, .neighbour, .neighbourRemoved, .routerOption:
      break
    }
  }
}

extension RouteMessage {
  /// Whether this is the route that each link has while IPv6 is enabled there, `multicast ff00::/8 table local`.
  fileprivate var isOfIPv6Itself: Bool { family == .ipv6 && kind == .multicast && destinationLength == 8 }
}

extension IPPrefix {
  /// All destinations of both families.
  fileprivate static var everything: [IPPrefix] {
    ["0.0.0.0", "::"].compactMap { IPPrefix($0, length: 0) }
  }
}
#endif
