#if os(Linux)
import Netlink

/// Keeps the small tables up to date from the kernel's messages, and collects what they can touch.
///
/// The source of its questions and of its messages may be scripted. One owner at a time.
struct NetworkTracker: ~Copyable, Sendable {
  var subscription: RouteSubscription
  var client: RouteClient
  private var devices: DeviceFindings
  /// Holds the tables; in one place for good, so that no question copies them.
  var evaluator = Evaluator(network: NetworkState())
  private var change = NetworkChange()
  var memory = AnswerMemory()
  /// The groups that were joined.
  private var groups: [MulticastGroup] = []
  /// Whether messages were lost, or none were read yet.
  var isStale = true
  /// Whether the tables changed each time that they were read: something may be missing, so they are read again soon.
  private(set) var isUnsettled = false
  /// The links that could not be read; 0 among them stands for any.
  private var unreadableLinks: Set<Int32> = []
  private var tableReads = 0
  /// Whether the rules changed since they were read.
  private var areRulesStale = false
  /// Whether a rule may ask for the user whom packets belong to.
  private var asksForUsers = false
  /// Finds out which source a socket gets.
  var sources: SourceChooser?
  /// Why the kernel's messages or tables could not be read when that was last tried; what is known is then no answer.
  private(set) var failure: NetlinkError?

  /// The groups whose messages keep the small tables up to date.
  static var tableGroups: [MulticastGroup] {
    [.links, .ipv4Addresses, .ipv6Addresses, .ipv4Rules, .ipv6Rules]
  }
  /// These, and the groups that matter only while statuses are followed: routes, next hops and settings.
  static var allGroups: [MulticastGroup] {
    tableGroups + [
      .ipv4Routes, .ipv6Routes, .nextHops, .ipv4Configuration, .ipv6Configuration,
    ]
  }
  /// How many datagrams are taken in a row before statuses are worked out, however many more keep coming.
  private static var drainLimit: Int { 4096 }
  private static var drainStep: Int { 64 }
  /// How many times the tables are read in a row when messages are lost while they are read.
  static var readLimit: Int { 3 }

  /// Prepares to keep the tables; none is known yet.
  ///
  /// - Parameters:
  ///   - events: The socket that hears, and asks what becomes of single packets.
  ///   - questions: The socket that asks for whole tables, and for many packets at once.
  ///   - census: Finds out what the messages do not tell of links.
  ///   - sources: Finds out which source a socket gets.
  init(
    events: any Transport, questions: any Transport, census: DeviceCensus? = nil,
    sources: consuming SourceChooser? = nil
  ) {
    subscription = RouteSubscription(over: events)
    client = RouteClient(over: questions)
    devices = DeviceFindings(census)
    self.sources = sources
  }

  /// Subscribes, then reads the tables, so that nothing falls between.
  mutating func start(_ groups: [MulticastGroup]) throws(NetlinkError) {
    self.groups = groups
    do throws(NetlinkError) {
      try subscription.setMembership(groups, joined: true)
      try readTables()
      failure = nil
      // What is there at the beginning is no change.
      change.everything = false
    } catch {
      stop()
      throw error
    }
  }

  /// Leaves the groups; what is known is worth nothing from now on.
  mutating func stop() {
    // A group that can't be left only brings messages for nothing.
    try? subscription.setMembership(groups, joined: false)
    _ = subscription.limitRoutes(to: nil)
    groups = []
    change = NetworkChange()
    isStale = true
    failure = nil
  }

  /// Has the kernel keep back announcements of routes that concern none of some addresses, or none any more.
  ///
  /// - Returns: Whether the kernel does.
  mutating func limitRoutes(to addresses: [IPAddress]?) -> Bool { subscription.limitRoutes(to: addresses) }

  /// What went on between the sockets and the kernel so far.
  var diagnostics: ReachabilityDiagnostics {
    ReachabilityDiagnostics(
      foreignMessages: subscription.foreignDatagrams + client.conversation.foreignDatagrams,
      unreadableMessages: subscription.malformedMessages + client.conversation.unreadableMessages,
      overruns: subscription.overruns + client.conversation.overruns,
      tableReads: tableReads)
  }

  /// Reads the waiting messages and returns what they can touch since the last call; nothing while not started.
  mutating func takeChange() -> NetworkChange {
    guard !groups.isEmpty else { return NetworkChange() }
    update()
    defer { change = NetworkChange() }
    return change
  }

  /// Has a change that was taken be taken once more.
  mutating func putBack(_ taken: NetworkChange) {
    change.formUnion(taken)
  }

  /// The tables as the messages that were read so far make them.
  var networkState: NetworkState { evaluator.network }

  /// Reads the waiting messages, and reads the tables again in any case.
  mutating func refresh() {
    isStale = true
    update()
  }

  /// Whether a change was read that was not taken yet.
  var hasNews: Bool { !groups.isEmpty && !change.isEmpty }

  /// Reads the waiting messages, and the tables if they can't be trusted.
  mutating func update() {
    do throws(NetlinkError) {
      try drain()
      if isStale || isUnsettled { try readTables() }
      // Who hears nothing can't trust for longer than a moment.
      if groups.isEmpty { isStale = true }
      failure = nil
    } catch {
      // The tables are read again at the next call.
      failure = error
      isStale = true
      change.formUnion(.all)
    }
  }

  /// Does the same where the tables can't be trusted.
  mutating func updateIfStale() throws(NetlinkError) {
    guard isStale else { return }
    update()
    if let failure { throw failure }
  }

  private mutating func drain() throws(NetlinkError) {
    defer { settle() }
    for _ in 0..<Self.drainLimit / Self.drainStep {
      // Collected first: while the subscription is at work, nothing else of this value may change.
      var events: [RouteEvent?] = []
      let outcome = try subscription.drain(limit: Self.drainStep) { events.append($0) }
      for event in events { note(event) }
      if outcome == .empty { return }
    }
  }

  /// Reads the tables anew; all that is known is worth nothing before.
  private mutating func readTables() throws(NetlinkError) {
    for _ in 0..<Self.readLimit {
      isStale = false
      tableReads += 1
      let links = try client.links()
      let addresses = try client.addresses()
      let rules = try client.ruleFindings()
      isUnsettled = links.isInterrupted || addresses.isInterrupted || rules.isInterrupted
      unreadableLinks = Set(links.skipped)
      evaluator.network = NetworkState()
      take(rules)
      evaluator.network.lacksAddresses = !addresses.skipped.isEmpty
      memory.forgetAll()
      for (link, kind) in zip(links.entries, devices.readAnew(links.entries)) {
        _ = LinkState(link, since: nil, kind: kind).map { evaluator.network.update($0) }
      }
      for address in addresses.entries {
        _ = AssignedAddress(address).map { evaluator.network.update($0, on: address.index) }
      }
      change.formUnion(.all)
      // Messages older than the tables change nothing any more, and newer ones are needed.
      try drain()
      if !isStale { return }
    }
  }

  private mutating func take(_ rules: RuleFindings) {
    evaluator.network.sourceRules = rules.sources
    asksForUsers = rules.asksForUsers
    areRulesStale = false
  }

  /// Whether a rule may ask for the user whom packets belong to, as far as is known now.
  var mayAskForUsers: Bool { asksForUsers || isStale || isUnsettled || areRulesStale }

  /// Whether a link is there that is not in the tables, since what the kernel says of it could not be read.
  func isUnreadable(link index: Int32) -> Bool {
    unreadableLinks.contains(index) || unreadableLinks.contains(0)
  }

  /// Works out what links are made of that stand on others, once for all messages that were read.
  mutating func settle() {
    if areRulesStale {
      do throws(NetlinkError) {
        let rules = try client.ruleFindings()
        take(rules)
        if rules.isInterrupted { isUnsettled = true }
      } catch {
        isStale = true
      }
    }
    if evaluator.network.settle() { change.formUnion(.all) }
  }

  mutating func note(_ event: RouteEvent?) {
    memory.forgetAll()
    switch event {
    case nil:
      isStale = true
    case .link(let message):
      // Wireless events leave out nearly all.
      guard !message.isWirelessEvent else { return }
      let old = evaluator.network.links[message.index]
      guard let link = LinkState(message, since: old, kind: devices.kind(of: message)) else { return }
      if evaluator.network.update(link) {
        change.formUnion(.all)
      } else if link.mtu != old?.mtu {
        change.formUnion(NetworkChange(linkDetails: true))
      } else if message.changeMask == 0 {
        // About none of the flags, and nothing is new: a carrier may have been lost and found again before the kernel
        // told of it, which it does once a second. Routes that were made meanwhile come to life with this message.
        change.formUnion(.all)
      }
    case .linkRemoved(let message):
      devices.forget(message.index)
      if evaluator.network.removeLink(message.index) { change.formUnion(.all) }
    case .address(let message):
      guard let address = AssignedAddress(message) else { return }
      if evaluator.network.update(address, on: message.index) { change.formUnion(.all) }
    case .addressRemoved(let message):
      guard let address = AssignedAddress(message) else { return }
      if evaluator.network.remove(address, on: message.index) { change.formUnion(.all) }
    case .route(let message):
      guard !message.flags.contains(.cloned), let prefix = message.prefix else { return }
      // The kernel announces a new IPv6 route just before look-ups find it, under a lock that nothing can wait for.
      let isIPv6 = message.family == .ipv6
      change.formUnion(isIPv6 ? NetworkChange(imminent: [prefix]) : NetworkChange(prefixes: [prefix]))
    case .routeRemoved(let message):
      guard !message.flags.contains(.cloned), let prefix = message.prefix else { return }
      change.formUnion(NetworkChange(prefixes: [prefix]))
    case .rule, .ruleRemoved:
      areRulesStale = true
      change.formUnion(.all)
    case .nextHop, .configuration:
      change.formUnion(.all)
    case .other:
      break
    }
  }
}
#endif
