// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import ReachabilityKit

/// The expected status, computed from the output of iproute2 and nothing of the library.
///
/// A translation of the table of meanings: the plain lookup gives the result for a packet, the exact one the matching
/// route, the list of links their states.
struct Oracle {
  let evidence: Evidence
  /// Whether the second lookup of a socket counts even where the first one has the same result.
  let looksUpTwice: Bool
  /// The next hop of a socket: `nil` for the one that the kernel names, or an index among the working ones.
  let hopIndex: Int?

  init(_ evidence: Evidence, looksUpTwice: Bool = false, hopIndex: Int? = nil) {
    self.evidence = evidence
    self.looksUpTwice = looksUpTwice
    self.hopIndex = hopIndex
  }

  private var snapshot: Snapshot { evidence.snapshot }

  /// Returns the possible statuses of a target, the likeliest first.
  ///
  /// Where a route has several next hops, rules decide which of a socket's two lookups counts, and ports may choose.
  static func statuses(of inquiry: Inquiry, _ evidence: Evidence) -> [ReachabilityStatus] {
    let likeliest = Oracle(evidence).status(of: inquiry)
    let questions = Question.all(about: inquiry)
    guard questions.contains(where: evidence.hasSeveralHops) else { return [likeliest] }
    var statuses = [likeliest, Oracle(evidence, looksUpTwice: true).status(of: inquiry)]
    for index in 0..<hopLimit where questions.contains(where: evidence.dependsOnPort) {
      statuses += [false, true].map {
        Oracle(evidence, looksUpTwice: $0, hopIndex: index).status(of: inquiry)
      }
    }
    return statuses
  }

  /// Whether a status is one of the possible ones.
  static func isExpected(_ status: ReachabilityStatus, among others: [ReachabilityStatus]) -> Bool {
    var sourceless = status
    sourceless.source = nil
    return others.contains { $0 == status || ($0.isReachable && $0 == sourceless) }
  }

  /// The maximum number of next hops of a route.
  private static var hopLimit: Int { 8 }

  /// Returns the expected status of a target.
  private func status(of inquiry: Inquiry) -> ReachabilityStatus {
    let target = inquiry.target
    if let interface = target.interface, snapshot.link(interface) == nil {
      return .notReachable(.interfaceNotFound)
    }
    switch target.destination {
    case .address(let address): return status(Question(address, with: inquiry))
    case .defaultRoute: return defaultStatus(of: inquiry)
    case .host: return .unknown(.resolving)
    }
  }

  // MARK: The default route

  /// Returns the better status of both families; IPv4 if they are equally good.
  private func defaultStatus(of inquiry: Inquiry) -> ReachabilityStatus {
    let statuses = Question.families(of: inquiry.target).map { defaultStatus(of: inquiry, $0) }
    func rank(_ status: ReachabilityStatus) -> Int {
      if status.isReachable { return 3 }
      return status.reason == .noRoute ? 0 : status.reason == .linkDormant ? 2 : 1
    }
    return statuses.reduce(statuses[0]) { rank($1) > rank($0) ? $1 : $0 }
  }

  private func defaultStatus(of inquiry: Inquiry, _ family: ReachabilityAddress.Family) -> ReachabilityStatus
  {
    var refusals: [ReachabilityStatus] = []
    var unnamed: ReachabilityStatus?
    for candidate in Question.defaultCandidates(family) {
      let question = Question(candidate, with: inquiry)
      let status = status(question)
      let exact = evidence.exact(decisive(question))?.route
      switch status.reason {
      case .zoneMissing,
        .sourceAddressMissing where inquiry.target.source != nil:
        return status
      default: break
      }
      // A route for fewer addresses is not the default route; a refusal does not name its route.
      if let exact {
        let isUnnamed = exact.isOfAnotherRoute(than: candidate)
        if !isUnnamed, exact.prefixLength > 3 { continue }
        if let unnamed { return unnamed }
        let isLinkLocal = status.source?.needsZone == true && status.gateway != nil
        let own = isLinkLocal ? .notReachable(.sourceAddressMissing, over: status.interface) : status
        guard isUnnamed else { return own }
        unnamed = own
        continue
      }
      switch status.reason {
      case .noRoute, .unreachableRoute, .blackhole, .prohibited: refusals.append(status)
      default: return status
      }
      if refusals.count(where: { $0.reason == .noRoute }) == 2 { return .notReachable(.noRoute) }
    }
    if let unnamed, !refusals.contains(where: { $0.reason == .noRoute }) { return unnamed }
    return refusals.count == 3 && Set(refusals.map(\.reason)).count == 1
      ? refusals[0] : .notReachable(.noRoute)
  }

  // MARK: One address

  private func status(_ question: Question) -> ReachabilityStatus {
    if question.isRefusedByTCP { return .notReachable(.notUnicast) }
    if question.interface == nil, question.destination.needsZone || question.source?.needsZone == true {
      return .notReachable(.zoneMissing)
    }
    if let source = question.source {
      guard source.family == question.destination.family, isSource(source, question) else {
        return .notReachable(.sourceAddressMissing)
      }
    }
    if evidence.isUnsupported(question.destination.family) { return .notReachable(.noRoute) }
    let decisive = decisive(question)
    switch evidence.plain(decisive) {
    case .route(let line)?:
      // The first lookup shows whether TCP can connect.
      let isStream = question.adapted(to: evidence.plain(question)?.route).transport == .tcp
      return status(
        line, evidence.exact(decisive), decisive.from(question.source ?? decisive.source), isStream: isStream)
    case .refused(let words)?:
      return isNamedBySocketOnly(question, decisive) ? .unknown(.systemError) : refusal(words, decisive)
    case nil: return .unknown(.systemError)
    }
  }

  /// Whether a socket has a route that the kernel cannot name: it cached the route of a next-hop object's packets, and
  /// another route with that object is gone since.
  private func isNamedBySocketOnly(_ question: Question, _ decisive: Question) -> Bool {
    let words = "Network is unreachable"
    return question.destination.family == .v6 && question.source == nil && question.interface == nil
      && decisive.source != nil && [question, decisive].allSatisfy { evidence.plain($0) == .refused(words) }
  }

  /// Whether an address is a valid source: an assigned one, or for IPv4 one with a local route.
  private func isSource(_ source: ReachabilityAddress, _ question: Question) -> Bool {
    snapshot.isAssigned(source, over: question.interface)
      || (source.family == .v4 && evidence.hasLocalSource(question))
  }

  /// Returns the question whose answer counts, since a socket looks up more than once.
  private func decisive(_ question: Question) -> Question {
    if question.prefersInterface { return isOverruled(question) ? question.from(nil) : question }
    guard question.source == nil, let again = evidence.withSource(question) else { return question }
    if again.prefersInterface, evidence.plain(again)?.route.map(isHere) == true { return question }
    // Where the same route matches, the second lookup equals the first one.
    guard question.destination.family == .v4, !looksUpTwice, let first = evidence.exact(question)?.route,
      let second = evidence.exact(again)?.route
    else { return again }
    return first.isSameEntry(as: second) ? question : again
  }

  /// Whether only a socket can give the answer.
  ///
  /// `ip` cannot query IPv6 packets from a source, even one that the kernel chose, over an interface. Where neither
  /// question leads there, a route for some sources still may. And IPv4 sockets can be bound to addresses of the local
  /// table that rules hide from lookups.
  func needsSocket(_ inquiry: Inquiry) -> Bool {
    let target = inquiry.target
    if let source = target.source, source.family == .v4 {
      return !snapshot.isAssigned(source, over: nil)
    }
    guard target.interface != nil, case .address(let address) = target.destination, address.family == .v6
    else {
      return false
    }
    let question = Question(address, with: inquiry)
    guard let line = evidence.plain(question.from(nil))?.route else { return true }
    // Of a group of next hops the kernel uses any, whatever the socket is bound to.
    let used = isOverruled(question) ? nil : evidence.plain(question)?.route
    return [line, used].contains { line in
      line?.dev.flatMap(snapshot.link(named:)).map { !isAllowed($0, question) } ?? false
    }
  }

  /// Whether only a TCP socket knows the reason of a refusal.
  ///
  /// For IPv6 it looks up again from a source without a route, which only a connected socket names.
  func hidesSource(_ inquiry: Inquiry) -> Bool {
    guard inquiry.target.source == nil, case .address(let address) = inquiry.target.destination else {
      return false
    }
    let question = Question(address, with: inquiry)
    return question.transport == .tcp && address.family == .v6 && evidence.plain(question)?.isRefused == true
      && evidence.socket(inquiry)?.errorNumber != 0
  }

  /// Whether a socket's result differs from the answer, which ignores the interface.
  private func isOverruled(_ question: Question) -> Bool {
    switch evidence.plain(question) {
    case .route(let line)?:
      // Any next hop of a group is used, whatever the socket is bound to.
      if let entry = evidence.exact(question)?.route, entry.nhid != nil,
        let other = evidence.exact(question.from(nil))?.route, other.nhid == entry.nhid
      {
        let isUnnamed = [entry, other].contains { $0.isOfAnotherRoute(than: question.destination) }
        if isUnnamed || other.isSameEntry(as: entry) { return false }
      }
      let name = isHere(line) ? evidence.exact(question)?.route?.dev ?? line.dev : line.dev
      return name.flatMap(snapshot.link(named:)).map { !isAllowed($0, question) } ?? false
    case .refused?:
      // A socket skips routes that refuse, but no rules; its result shows which one it was.
      return evidence.plain(question.from(nil))?.route != nil && evidence.socket(question)?.errorNumber == 0
    case nil: return false
    }
  }

  private func refusal(_ words: String, _ question: Question) -> ReachabilityStatus {
    switch words {
    case "Network is unreachable": return noRoute(question)
    case "No route to host": return .notReachable(.unreachableRoute)
    case "Permission denied": return .notReachable(.prohibited)
    case "Invalid argument":
      let isNoSource = question.source.map { $0.isLoopback || $0.isMulticast } ?? false
      return .notReachable(isNoSource ? .sourceAddressMissing : .blackhole)
    default: return .unknown(.systemError)
    }
  }

  /// Returns the reason of the only link that could have the destination, or of the given one.
  private func noRoute(_ question: Question) -> ReachabilityStatus {
    let owners =
      question.interface.map { [snapshot.link($0)].compactMap(\.self) }
      ?? (question.destination.isLoopback
        ? snapshot.links.filter(\.isLoopback) : snapshot.owners(of: question.destination))
    guard owners.count == 1, let reason = owners[0].trouble else { return .notReachable(.noRoute) }
    return dead(owners[0], reason)
  }

  private func dead(_ link: Snapshot.Link, _ reason: ReachabilityStatus.Reason) -> ReachabilityStatus {
    var status = ReachabilityStatus.notReachable(reason, over: link.interface)
    if reason == .linkDormant { status.flags = [.reachable, .connectionRequired] }
    if reason == .linkDormant, link.isTunnel { status.flags.insert(.transientConnection) }
    return status
  }

  private func status(
    _ line: RouteLine, _ exact: RouteAnswer?, _ question: Question, isStream: Bool
  ) -> ReachabilityStatus {
    if isHere(line) {
      // The plain answer names the loopback interface for every local address.
      let link = (exact?.route?.dev ?? line.dev).flatMap(snapshot.link(named:))
      // Local packets pass the loopback interface, or the VRF's, and stop there if it is down.
      if let passage = line.dev.flatMap(snapshot.link(named:)), !passage.flags.contains("UP") {
        return .notReachable(.interfaceDown, over: passage.interface)
      }
      if question.source ?? line.source == nil {
        return .notReachable(.sourceAddressMissing, over: link?.interface)
      }
      return ReachabilityStatus(
        .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: link?.interface,
        source: question.source ?? line.source)
    }
    guard let link = line.dev.flatMap(snapshot.link(named:)) else { return .unknown(.systemError) }
    if case .refused? = exact, line.type == "unicast", question.interface != nil,
      question.destination.family == .v4, !link.addresses.contains(where: { $0.covers(question.destination) })
    {
      // No route matches: the kernel treats the destination as a neighbour, even where it is none.
      return noRoute(question)
    }
    guard isAllowed(link, question) else { return noRoute(question) }
    if line.type == "unicast", question.destination.family == .v6, link.isLoopback,
      !question.destination.isLoopback
    {
      return .notReachable(.blackhole, over: link.interface)
    }
    // The kernel may share a next hop of a multicast route with others, and TCP cannot connect through it.
    if isStream, question.destination.family == .v4,
      ["broadcast", "multicast"].contains(line.type)
    {
      return .notReachable(.notUnicast, over: link.interface)
    }
    if let hopIndex, evidence.dependsOnPort(question) {
      let hops = workingHops(question, exact)
      if !hops.isEmpty { return hops[hopIndex % hops.count] }
    }
    if let reason = link.trouble(to: question.destination, via: line.nextAddress)
      ?? (exact?.route?.isDead == true ? .noCarrier : nil)
    {
      return dead(link, reason)
    }
    guard let source = question.source ?? line.source,
      question.source != nil || !source.isLoopback || link.isLoopback
    else {
      return .notReachable(.sourceAddressMissing, over: link.interface)
    }
    return reachable(link, line.nextAddress, source)
  }

  /// Whether packets are delivered on this machine.
  ///
  /// The kernel owns the anycast addresses of its prefixes; those of added routes belong to other hosts.
  private func isHere(_ line: RouteLine) -> Bool {
    guard line.type == "anycast" else { return line.type == "local" }
    guard let link = line.dev.flatMap(snapshot.link(named:)) else { return false }
    return link.isLoopback || link.linkinfo?.made == "vrf"
  }

  /// Returns the statuses by each working next hop; the source is any, if none was given.
  private func workingHops(_ question: Question, _ exact: RouteAnswer?) -> [ReachabilityStatus] {
    (exact?.route?.hops ?? []).compactMap { hop in
      guard !hop.isDead, let link = hop.dev.flatMap(snapshot.link(named:)),
        link.trouble(to: question.destination, via: hop.nextAddress) == nil, isAllowed(link, question)
      else { return nil }
      return reachable(link, hop.nextAddress, question.source)
    }
  }

  /// Whether packets over a link leave by the given interface, or by a part of it.
  private func isAllowed(_ link: Snapshot.Link, _ question: Question) -> Bool {
    guard let wanted = question.interface.flatMap(snapshot.link) else { return true }
    return link.ifindex == wanted.ifindex || (link.master == wanted.ifname && wanted.linkinfo?.made == "vrf")
  }

  private func reachable(
    _ link: Snapshot.Link, _ gateway: ReachabilityAddress?, _ source: ReachabilityAddress?
  )
    -> ReachabilityStatus
  {
    var flags: ReachabilityStatus.Flags = .reachable
    if gateway == nil, !link.isPointToPoint { flags.insert(.isDirect) }
    if link.isTunnel { flags.insert(.transientConnection) }
    return ReachabilityStatus(
      .reachable, flags: flags, interface: link.interface, gateway: gateway, source: source)
  }
}
