#if os(Linux)
import Netlink

/// Keeps the small tables up to date from the kernel's messages, and collects what they can touch.
///
/// The source of its questions and of its messages may be scripted. One owner at a time.
struct NetworkTracker: ~Copyable, Sendable {
  private var subscription: RouteSubscription
  private var client: RouteClient
  /// Holds the tables; in one place for good, so that no question copies them.
  private var evaluator = Evaluator(network: NetworkState())
  private var change = NetworkChange()
  private var isWatching = false
  /// Whether messages were lost, or none were read yet.
  private var isStale = true

  /// The groups whose messages keep the small tables up to date.
  private static var tableGroups: [MulticastGroup] { [.links, .ipv4Addresses, .ipv6Addresses] }
  /// The groups that matter only while statuses are followed.
  private static var watchingGroups: [MulticastGroup] {
    [
      .ipv4Routes, .ipv6Routes, .ipv4Rules, .ipv6Rules, .nextHops, .ipv4Configuration, .ipv6Configuration,
    ]
  }
  /// How many datagrams are taken in a row before statuses are worked out, however many more keep coming.
  private static var drainLimit: Int { 4096 }
  private static var drainStep: Int { 64 }
  /// How many times the tables are read in a row when messages are lost while they are read.
  private static var readLimit: Int { 3 }

  /// Subscribes, then reads the tables, so that nothing falls between.
  init(events: any Transport, questions: any Transport) throws(NetlinkError) {
    subscription = RouteSubscription(over: events)
    client = RouteClient(over: questions)
    try subscription.setMembership(Self.tableGroups, joined: true)
    try readTables()
  }

  /// How often messages were lost because they came faster than they were read.
  var overruns: Int { subscription.overruns }

  /// Joins or leaves the groups of routes, rules, next hops and settings.
  mutating func setWatching(_ isWatching: Bool) throws(NetlinkError) {
    try subscription.setMembership(Self.watchingGroups, joined: isWatching)
    self.isWatching = isWatching
    change = NetworkChange()
  }

  /// Reads the waiting messages and returns what they can touch since the last call.
  mutating func takeChange() -> NetworkChange {
    update()
    defer { change = NetworkChange() }
    return change
  }

  /// The tables as the messages that were read so far make them.
  var networkState: NetworkState { evaluator.network }

  /// Reads the waiting messages, and reads the tables again in any case.
  mutating func refresh() {
    isStale = true
    update()
  }

  /// Whether a change was read that those who follow statuses must hear of.
  var hasNews: Bool { isWatching && !change.isEmpty }

  private mutating func update() {
    do throws(NetlinkError) {
      try drain()
      if isStale { try readTables() }
    } catch {
      // What is known stays the best answer there is; the tables are read again at the next call.
      isStale = true
      change.formUnion(.all)
    }
  }

  private mutating func drain() throws(NetlinkError) {
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
      let links = try client.links()
      let addresses = try client.addresses()
      evaluator.network = NetworkState()
      for link in links { _ = LinkState(link, since: nil).map { evaluator.network.update($0) } }
      for address in addresses {
        _ = AssignedAddress(address).map { evaluator.network.update($0, on: address.index) }
      }
      change.formUnion(.all)
      // Messages older than the tables change nothing any more, and newer ones are needed.
      try drain()
      if !isStale { return }
    }
  }

  private mutating func note(_ event: RouteEvent?) {
    switch event {
    case nil:
      isStale = true
    case .link(let message):
      // Ports of bridges send messages of their own, and wireless events leave out nearly all.
      guard message.family == .unspecified, !message.isWirelessEvent else { return }
      let link = LinkState(message, since: evaluator.network.links[message.index])
      if let link, evaluator.network.update(link) { change.formUnion(.all) }
    case .linkRemoved(let message):
      guard message.family == .unspecified else { return }
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
    case .rule, .ruleRemoved, .nexthop, .nexthopRemoved, .configuration:
      change.formUnion(.all)
    case .other:
      break
    }
  }
}

// MARK: - Questions

extension NetworkTracker {
  /// How many rounds of questions a target may need; the default route needs the most.
  static var roundLimit: Int { 8 }

  /// Works out the status of a target now, with the waiting messages read before.
  mutating func evaluate(_ target: Target) -> Evaluation {
    update()
    do throws(NetlinkError) {
      return try ask(about: target)
    } catch {
      return Evaluation(.unknown(.systemError))
    }
  }

  private mutating func ask(about target: Target) throws(NetlinkError) -> Evaluation {
    var answers = RouteAnswers()
    if let question = Evaluator.soleQuestion(about: target) {
      let answer = RouteAnswer(try client.lookUp(RouteRequest(question)))
      if case .known(let evaluation) = evaluator.evaluate(answer, to: question) { return evaluation }
      answers[question] = answer
    }
    var isRefreshed = false
    for _ in 0..<Self.roundLimit {
      switch evaluator.evaluate(target, answers) {
      case .known(let evaluation):
        return evaluation
      case .ask(let questions):
        try client.lookUp(questions.map(RouteRequest.init)) { answers[questions[$0]] = RouteAnswer($1) }
      case .unknownLink:
        // The kernel is ahead of its messages; once they are read the link is there, or the route is gone.
        guard !isRefreshed else { return Evaluation(.notReachable(.noRoute)) }
        isRefreshed = true
        answers = RouteAnswers()
        refresh()
      }
    }
    return Evaluation(.unknown(.systemError))
  }
}
#endif
