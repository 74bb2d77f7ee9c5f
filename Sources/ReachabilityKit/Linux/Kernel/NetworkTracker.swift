// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

/// The small tables, kept up to date from the kernel's messages, and the changes that these announce.
///
/// Both sockets may be scripted. One owner at a time.
struct NetworkTracker: ~Copyable, Sendable {
  var subscription: RouteSubscription
  var client: RouteClient
  var tables: NetworkTables
  /// The request about the observed target that was evaluated last of those with a sole question.
  var lastSole: SoleRequest?
  /// Whether an answer of the last evaluation may come from a route that the kernel is about to delete.
  var hasSuspectAnswer = false
  /// The joined groups.
  private var groups: [MulticastGroup] = []
  private var tableReads = 0
  /// Finds the source address of a socket.
  var sources: SourceChooser?
  /// Finds out whether IPsec policies may block packets.
  var policies: PolicyWatch

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
    tables = NetworkTables(LinkClassification(classifier))
    policies = PolicyWatch(threads: sources?.threads)
    self.sources = sources
  }

  /// The user that stands for the user 0 in a copy of a network; `nil` in others.
  var rootUser: UInt32?

  /// Describes virtual cables as the links that they stand for.
  mutating func setOriginals(_ links: [LinkMessage]) { tables.devices.setOriginals(links) }

  /// Joins groups, then reads the tables, so that no change falls between.
  mutating func start(_ groups: [MulticastGroup]) throws(NetlinkError) {
    self.groups = groups
    if groups.contains(.nextHops) {
      tables.nextHops = NextHopWatch()
      listenForPolicies()
    } else if !subscription.limitRoutes(to: [Self.everyGroup]) {
      self.groups.removeAll { $0 == .ipv6Routes }
    }
    do throws(NetlinkError) {
      try subscription.setMembership(self.groups, joined: true)
      try readTables()
      // The first reading is no change.
      tables.change.everything = false
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
    tables.stop()
    policies.stop()
    know(.none)
    groups = []
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
    return tables.dequeueChange()
  }

  /// Reads the waiting messages and returns the changes that arrived during an evaluation.
  ///
  /// To be called once the kernel has made what it announced before the last ``readChange(readingAtLeast:)``.
  mutating func readChangeDuringEvaluation() -> NetworkChange {
    guard !groups.isEmpty else { return NetworkChange() }
    update()
    tables.finishChange()
    return exchange(&tables.change, with: NetworkChange())
  }

  /// Whether messages may wait that were not read, although the socket was polled before the last one was read.
  var mayHaveMore = false

  /// The tables after the messages that were read so far.
  var networkState: NetworkState { tables.evaluator.network }

  /// The addresses whose routes decide where the packets of tunnels go.
  var tunnelAddresses: [ReachabilityAddress] { tables.evaluator.network.tunnelAddresses }

  /// What routers have announced to this subscription until now.
  mutating func announcedPortals() -> AnnouncedPortals {
    update()
    return tables.portals
  }

  /// Returns the current indexes of interfaces; `nil` for those that do not exist.
  mutating func indexes(of interfaces: [ReachabilityTarget.Interface?]) -> [UInt32?] {
    update()
    return interfaces.map { $0.flatMap(networkState.index).flatMap(UInt32.init(exactly:)) }
  }

  /// Reads the waiting messages and the tables.
  mutating func refresh() {
    requireTables()
    update()
  }

  /// Makes the next update read the tables.
  mutating func requireTables() { tables.state = .stale }

  /// Whether a change was read that is not taken yet.
  var hasPendingChange: Bool { !groups.isEmpty && !tables.change.isEmpty }

  /// Reads the waiting messages, and the tables unless they are current.
  mutating func update(readingAtLeast limit: Int = .max) {
    do throws(NetlinkError) {
      try drain(readingAtLeast: limit)
      if tables.state != .current {
        // What the queue still holds is older than the tables, and the kernel drops more until it is empty.
        if mayHaveMore { try drain() }
        try readTables()
      }
      // Without announcements, the tables are current only for a moment.
      if groups.isEmpty { tables.state = .stale }
    } catch {
      // The next call reads the tables again.
      tables.state = .failed(error)
      tables.change.formUnion(.all)
    }
  }

  private mutating func drain(readingAtLeast limit: Int = .max) throws(NetlinkError) {
    defer { settle() }
    mayHaveMore =
      try subscription.drain(limit: min(limit, Self.drainLimit), informing: &tables) != .empty
  }

  /// Reads the tables in place of the present ones.
  private mutating func readTables() throws(NetlinkError) {
    for _ in 0..<Self.readLimit {
      tables.state = .current
      tableReads += 1
      var links = try client.links()
      tables.devices.describeOriginals(&links.entries)
      let addresses = try client.addresses()
      let rules = try listRules()
      if links.isInterrupted || addresses.isInterrupted || rules.isInterrupted { tables.state = .unsettled }
      tables.replace(links: links, addresses: addresses, rules: rules)
      // Messages older than the tables change nothing, and newer ones are needed.
      try drain()
      if !tables.isStale { return }
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
    tables.areRulesStale = false
    return all
  }

  /// Reads changed links and rules, and derives the kinds of stacked links, once for all messages that were read.
  mutating func settle() {
    if !tables.staleLinks.isEmpty { readStaleLinks() }
    if tables.areRulesStale {
      do throws(NetlinkError) {
        let rules = try listRules()
        tables.evaluator.network.update(rules.entries)
        if rules.isInterrupted, !tables.isStale { tables.state = .unsettled }
      } catch {
        if !tables.isStale { tables.state = .stale }
      }
    }
    if tables.hasChangedLinks, tables.evaluator.network.settle() { tables.change.formUnion(.all) }
    tables.hasChangedLinks = false
  }

  @inline(never)
  private mutating func readStaleLinks() {
    do throws(NetlinkError) {
      while let index = tables.staleLinks.popFirst() {
        guard var link = try client.link(index) else { continue }
        // The answer changes nothing else.
        link.changeMask = .max
        tables.apply(.link(link))
      }
    } catch {
      tables.staleLinks = []
      if !tables.isStale { tables.state = .stale }
    }
  }
}

/// A target, and the only request that it takes; one reference, which is compared and used without a copy.
final class SoleRequest: Sendable {
  let target: ReachabilityTarget
  let request: EncodedRequest

  init(target: ReachabilityTarget, request: EncodedRequest) {
    (self.target, self.request) = (target, request)
  }
}
#endif
