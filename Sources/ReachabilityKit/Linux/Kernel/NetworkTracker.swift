// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

/// The small tables, kept up to date from the kernel's messages, and the changes that these announce.
///
/// Both sockets may be scripted. One owner at a time.
struct NetworkTracker: ~Copyable, Sendable {
  /// Whether the tables are the kernel's.
  enum TableState: Equatable {
    case current
    /// The tables changed each time they were read: an entry may be missing, so they are read again soon.
    case unsettled
    /// Messages were lost, or the tables were not read yet.
    case stale
    /// The last attempt to read messages or tables failed.
    case failed(NetlinkError)
  }

  var subscription: RouteSubscription
  var client: RouteClient
  private var devices: LinkClassification
  /// Holds the tables in one place, so that no evaluation copies them.
  var evaluator = Evaluator(network: NetworkState())
  private var change = NetworkChange()
  /// The parts of `change` that the kernel may not have made yet.
  private var nextUnfinished = UnfinishedChange()
  /// The same parts of the change that was taken last.
  private(set) var unfinished = UnfinishedChange()
  /// Whether an answer of the last evaluation may come from a route that the kernel is about to delete.
  var hasSuspectAnswer = false
  var cache = LookupCache()
  /// The joined groups.
  private var groups: [MulticastGroup] = []
  private(set) var tableState = TableState.stale
  /// The links that could not be read; 0 stands for any.
  private var unreadableLinks: Set<Int32> = []
  private var tableReads = 0
  /// Whether links or addresses changed since the tables were last settled.
  private var hasChangedLinks = false
  /// Whether the rules changed since they were read.
  private var areRulesStale = false
  /// The links whose IPv6 was switched on or off since they were read, which no message about a link says.
  private var staleLinks: Set<Int32> = []
  /// Finds the source address of a socket.
  var sources: SourceChooser?
  /// Finds out whether IPsec policies may block packets.
  var policies: PolicyWatch
  /// The next hops of observed answers; `nil` where nothing is observed.
  var nextHops: NextHopWatch?
  /// What routers announce about captive portals.
  var portals = AnnouncedPortals()

  /// The groups whose messages keep the small tables up to date.
  private static var tableGroups: [MulticastGroup] {
    [.links, .ipv4Addresses, .ipv6Addresses, .ipv4Rules, .ipv6Rules, .routerOptions]
  }
  /// The groups of a tracker for callers: of all routes, only those that say whether a link has IPv6 pass a filter.
  static var callerGroups: [MulticastGroup] { tableGroups + [.ipv6Routes] }
  /// These groups, and those for routes, next hops and settings, which matter only to observers.
  static var allGroups: [MulticastGroup] {
    tableGroups + [.ipv4Routes, .ipv6Routes, .nextHops, .ipv4Configuration, .ipv6Configuration]
  }
  /// A destination of the route that each link has while IPv6 is enabled there.
  private static let everyGroup: ReachabilityAddress = "ff00::"
  /// How many datagrams are read in a row before statuses are evaluated, even if more arrive.
  private static var drainLimit: Int { 4096 }
  private static var drainStep: Int { 64 }
  /// How many times the tables are read in a row while messages are lost or tables change.
  static var readLimit: Int { 3 }

  /// Creates a tracker without tables.
  ///
  /// - Parameters:
  ///   - events: The socket that receives announcements and looks up single packets.
  ///   - questions: The socket that lists tables and looks up packets in batches.
  init(
    events: any Transport, questions: any Transport, classifier: LinkClassifier? = nil,
    sources: consuming SourceChooser? = nil
  ) {
    subscription = RouteSubscription(over: events)
    client = RouteClient(over: questions)
    devices = LinkClassification(classifier)
    policies = PolicyWatch(threads: sources?.threads)
    self.sources = sources
  }

  /// The user that stands for the user 0 in a copy of a network; `nil` in others.
  var rootUser: UInt32?

  /// Describes virtual cables as the links that they stand for.
  mutating func setOriginals(_ links: [LinkMessage]) { devices.setOriginals(links) }

  /// Joins groups, then reads the tables, so that no change falls between.
  mutating func start(_ groups: [MulticastGroup]) throws(NetlinkError) {
    self.groups = groups
    if groups.contains(.nextHops) {
      nextHops = NextHopWatch()
      listenForPolicies()
    } else if !subscription.limitRoutes(to: [Self.everyGroup]) {
      self.groups.removeAll { $0 == .ipv6Routes }
    }
    do throws(NetlinkError) {
      try subscription.setMembership(self.groups, joined: true)
      try readTables()
      // The first reading is no change.
      change.everything = false
    } catch {
      stop()
      throw error
    }
  }

  /// Leaves the groups; the tables are stale from now on.
  mutating func stop() {
    // A group that can't be left only costs unneeded messages.
    try? subscription.setMembership(groups, joined: false)
    _ = subscription.watchNeighbours([])
    _ = subscription.limitRoutes(to: nil)
    nextHops = nil
    policies.stop()
    know(.none)
    portals = AnnouncedPortals()
    groups = []
    change = NetworkChange()
    nextUnfinished = UnfinishedChange()
    tableState = .stale
  }

  /// Makes the kernel filter out announcements of routes that match none of some addresses; returns whether it does.
  mutating func limitRoutes(to addresses: [ReachabilityAddress]?) -> Bool {
    subscription.limitRoutes(to: addresses)
  }

  /// Counts of what the sockets received and lost so far.
  var diagnostics: ReachabilityDiagnostics {
    ReachabilityDiagnostics(
      foreignMessages: subscription.conversation.foreignDatagrams + client.conversation.foreignDatagrams,
      unreadableMessages: subscription.conversation.unreadableMessages
        + client.conversation.unreadableMessages,
      overruns: subscription.overruns + client.conversation.overruns,
      tableReads: tableReads)
  }

  /// Reads the waiting messages and returns the changes since the last call; none while stopped.
  ///
  /// - Parameter limit: How many datagrams to read at least, if there are as many.
  mutating func readChange(readingAtLeast limit: Int = .max) -> NetworkChange {
    guard !groups.isEmpty else { return NetworkChange() }
    update(readingAtLeast: limit)
    unfinished = nextUnfinished
    nextUnfinished = UnfinishedChange()
    // Exchanged, not copied.
    var result = NetworkChange()
    swap(&result, &change)
    return result
  }

  /// Reads the waiting messages and returns the changes that the next ``readChange(readingAtLeast:)`` will return.
  ///
  /// To be called once the kernel has made what it announced before the last ``readChange(readingAtLeast:)``.
  mutating func peekAtChange() -> NetworkChange {
    guard !groups.isEmpty else { return NetworkChange() }
    update()
    unfinished = UnfinishedChange()
    return change
  }

  /// Whether messages may wait that were not read, although the socket was polled before the last one was read.
  var mayHaveMore = false

  /// The tables after the messages that were read so far.
  var networkState: NetworkState { evaluator.network }

  /// The addresses whose routes decide where the packets of tunnels go.
  var tunnelAddresses: [ReachabilityAddress] { evaluator.network.tunnelAddresses }

  /// What routers have announced to this subscription until now.
  mutating func announcedPortals() -> AnnouncedPortals {
    update()
    return portals
  }

  /// Returns the current indexes of interfaces; `nil` for those that do not exist.
  mutating func indexes(of interfaces: [ReachabilityTarget.Interface?]) -> [UInt32?] {
    update()
    return interfaces.map { $0.flatMap(networkState.index).flatMap(UInt32.init(exactly:)) }
  }

  /// Reads the waiting messages and the tables.
  mutating func refresh() {
    tableState = .stale
    update()
  }

  /// Whether a change was read that is not taken yet.
  var hasNews: Bool { !groups.isEmpty && !change.isEmpty }

  /// Reads the waiting messages, and the tables unless they are current.
  mutating func update(readingAtLeast limit: Int = .max) {
    do throws(NetlinkError) {
      try drain(readingAtLeast: limit)
      if tableState != .current {
        // What the queue still holds is older than the tables, and the kernel drops more until it is empty.
        if mayHaveMore { try drain() }
        try readTables()
      }
      // Without announcements, the tables are current only for a moment.
      if groups.isEmpty { tableState = .stale }
    } catch {
      // The next call reads the tables again.
      tableState = .failed(error)
      change.formUnion(.all)
    }
  }

  private mutating func drain(readingAtLeast limit: Int = .max) throws(NetlinkError) {
    defer { settle() }
    if limit == 1 {
      // The event of most changes, without an array for it.
      var event: RouteEvent??
      mayHaveMore = try subscription.drain(limit: 1) { event = .some($0) } != .empty
      if let event { apply(event) }
      return
    }
    var left = min(limit, Self.drainLimit)
    while left > 0 {
      let step = min(left, Self.drainStep)
      // Collected first: while the subscription reads, no other property may change.
      var events: [RouteEvent?] = []
      let outcome = try subscription.drain(limit: step) { events.append($0) }
      for event in events { apply(event) }
      mayHaveMore = outcome != .empty
      if !mayHaveMore { return }
      left -= step
    }
  }

  /// Reads the tables in place of the present ones.
  private mutating func readTables() throws(NetlinkError) {
    for _ in 0..<Self.readLimit {
      tableState = .current
      tableReads += 1
      var links = try client.links()
      devices.describeOriginals(&links.entries)
      let addresses = try client.addresses()
      let rules = try listRules()
      if links.isInterrupted || addresses.isInterrupted || rules.isInterrupted { tableState = .unsettled }
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
      // Messages older than the tables change nothing, and newer ones are needed.
      try drain()
      if !isStale { return }
    }
  }

  /// Lists the rules of both families; a kernel without policy rules refuses, and has none.
  private mutating func listRules() throws(NetlinkError) -> Listing<Rule> {
    var all = Listing<Rule>()
    for family in [AddressFamily.ipv4, .ipv6] {
      do throws(NetlinkError) {
        let rules = try client.rules(family)
        all.entries += rules.entries
        if !rules.skipped.isEmpty { all.entries.append(.unreadable(family)) }
        all.isInterrupted = all.isInterrupted || rules.isInterrupted
      } catch {
        if error.code != .refused { throw error }
      }
    }
    areRulesStale = false
    return all
  }

  /// Whether the tables must be read before they are used.
  var isStale: Bool { tableState != .current && tableState != .unsettled }

  /// Why the last attempt to read messages or tables failed; the tables then answer nothing.
  var failure: NetlinkError? { if case .failed(let error) = tableState { error } else { nil } }

  /// Whether a rule may match the user that packets belong to.
  var mayMatchUsers: Bool { evaluator.network.matchesUsers || tableState != .current || areRulesStale }

  /// Whether a link exists that the tables lack because its entry could not be read.
  func isUnreadable(link index: Int32) -> Bool {
    unreadableLinks.contains(index) || unreadableLinks.contains(0)
  }

  /// Reads changed links and rules, and derives the kinds of stacked links, once for all messages that were read.
  mutating func settle() {
    if !staleLinks.isEmpty { readStaleLinks() }
    if areRulesStale {
      do throws(NetlinkError) {
        let rules = try listRules()
        evaluator.network.update(rules.entries)
        if rules.isInterrupted, !isStale { tableState = .unsettled }
      } catch {
        if !isStale { tableState = .stale }
      }
    }
    if hasChangedLinks, evaluator.network.settle() { change.formUnion(.all) }
    hasChangedLinks = false
  }

  @inline(never)
  private mutating func readStaleLinks() {
    do throws(NetlinkError) {
      while let index = staleLinks.popFirst() {
        guard var link = try client.link(index) else { continue }
        // The answer changes nothing else.
        link.changeMask = .max
        applyToTables(.link(link))
      }
    } catch {
      staleLinks = []
      if !isStale { tableState = .stale }
    }
  }

  /// Applies an announcement to the tables, and adds its consequences to the change; `nil` stands for a loss.
  mutating func apply(_ event: consuming RouteEvent?) {
    switch event {
    case .route(let message): apply(message, isRemoved: false)
    case .routeRemoved(let message): apply(message, isRemoved: true)
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
    if isImminent { change.imminent.append(prefix) } else { change.insert(prefix) }
    if !evaluator.network.tunnels.isEmpty { applyToTunnels(prefix, isImminent: isImminent) }
  }

  /// Adds all destinations to a change of the routes to the other end of a tunnel.
  @inline(never)
  private mutating func applyToTunnels(_ prefix: IPPrefix, isImminent: Bool) {
    guard tunnelAddresses.contains(where: prefix.contains) else { return }
    if isImminent { change.imminent += IPPrefix.everything } else { change.formUnion(.all) }
  }

  /// Adds the consequences of a neighbour's state; the tables and the cache stay valid.
  @inline(never)
  private mutating func apply(_ message: borrowing NeighbourMessage, isRemoved: Bool) {
    guard let effect = nextHops?.apply(message, isRemoved: isRemoved, now: .now) else { return }
    if effect.contains(.choice) { recordNextHopChange() }
    if effect.contains(.recovery) { change.routerReturned = true }
  }

  /// Records that the kernel may choose other next hops.
  mutating func recordNextHopChange() { change.nextHops = true }

  // Apart, since announcements of routes are the most frequent ones, and this code is large.
  @inline(never)
  private mutating func applyToTables(_ event: consuming RouteEvent?) {
    cache.removeAll()
    nextHops?.recordChange()
    nextUnfinished.record(event)
    switch event {
    case nil:
      if !isStale { tableState = .stale }
    case .link(var message):
      hasChangedLinks = true
      devices.describeOriginal(of: &message)
      // Wireless events leave out nearly all attributes.
      guard !message.isWirelessEvent else { return }
      let old = evaluator.network.links[message.index]
      guard let link = LinkState(message, since: old, kind: devices.kind(of: message)) else { return }
      // The network behind it may be another one when it is up again.
      if link.condition != .up { portals.forget(message.index) }
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
