#if os(Linux)
import InternetProtocol
import Reachability

/// Says what a status should be, from what iproute2 prints and from nothing of ours.
///
/// A translation of the table of meanings: the plain look-up says what becomes of a packet, the exact one which entry
/// matches, the list of links what state they are in.
struct Oracle {
  let evidence: Evidence
  /// Whether the second look-up of a socket counts also where the first one says the same.
  let looksTwice: Bool

  init(_ evidence: Evidence, looksTwice: Bool = false) {
    self.evidence = evidence
    self.looksTwice = looksTwice
  }

  private var snapshot: Snapshot { evidence.snapshot }

  /// What the status of a target should be.
  func status(of target: Target) -> Status {
    if let interface = target.interface, snapshot.link(interface) == nil {
      return .notReachable(.interfaceNotFound)
    }
    switch target.destination {
    case .address(let address): return status(Question(address, with: target))
    case .defaultRoute: return defaultStatus(of: target)
    case .host: return .unknown(.resolving)
    }
  }

  /// Whether which way packets go hangs on their ports, so that no two sockets need go the same.
  func hasSeveralWays(_ target: Target) -> Bool {
    Question.all(about: target).contains { question in
      evidence.exact(question)?.route?.hasSeveralWays ?? false
    }
  }

  // MARK: The default route

  /// The better of both families; IPv4 if they are equally good.
  private func defaultStatus(of target: Target) -> Status {
    let statuses = Question.families(of: target).map { defaultStatus(of: target, $0) }
    func rank(_ status: Status) -> Int {
      if status.isReachable { return 3 }
      return status.reason == .noRoute ? 0 : status.reason == .linkDormant ? 2 : 1
    }
    return statuses.reduce(statuses[0]) { rank($1) > rank($0) ? $1 : $0 }
  }

  private func defaultStatus(of target: Target, _ family: IPAddress.Family) -> Status {
    var refusals: [Status] = []
    for candidate in Question.defaultCandidates(family) {
      let question = Question(candidate, with: target)
      let status = status(question)
      let exact = evidence.exact(decisive(question))?.route
      switch status.reason {
      case .zoneMissing,
        .sourceAddressMissing where target.source != nil:
        return status
      default: break
      }
      // An entry for fewer addresses is not the default route; who refuses does not say which entry it was.
      if let exact, exact.prefixLength > 3 { continue }
      if exact != nil { return status }
      switch status.reason {
      case .noRoute, .unreachableRoute, .blackhole, .prohibited: refusals.append(status)
      default: return status
      }
      if refusals.count(where: { $0.reason == .noRoute }) == 2 { return .notReachable(.noRoute) }
    }
    return refusals.count == 3 && Set(refusals.map(\.reason)).count == 1
      ? refusals[0] : .notReachable(.noRoute)
  }

  // MARK: One address

  private func status(_ question: Question) -> Status {
    if question.interface == nil, question.destination.needsZone || question.source?.needsZone == true {
      return .notReachable(.zoneMissing)
    }
    if let source = question.source {
      guard source.family == question.destination.family, isSource(source, question) else {
        return .notReachable(.sourceAddressMissing)
      }
    }
    let decisive = decisive(question)
    switch evidence.plain(decisive) {
    case .route(let line)?:
      return status(line, evidence.exact(decisive), decisive.from(question.source ?? decisive.source))
    case .refused(let words)?: return refusal(words, decisive)
    case nil: return .unknown(.systemError)
    }
  }

  /// Whether packets can come from an address: one that is assigned, or for IPv4 has a local route.
  private func isSource(_ source: IPAddress, _ question: Question) -> Bool {
    snapshot.isAssigned(source, over: question.interface)
      || (source.family == .v4 && evidence.hasLocalSource(question))
  }

  /// The question whose answer counts, since a socket asks more than one.
  private func decisive(_ question: Question) -> Question {
    if question.isOnlyWish { return isOverruled(question) ? question.from(nil) : question }
    guard question.source == nil, let again = evidence.withSource(question) else { return question }
    // Where the same entry matches, the second look-up is the first one.
    let (first, second) = (evidence.exact(question)?.route, evidence.exact(again)?.route)
    let isSame = question.destination.family == .v4 && first != nil && first == second
    return isSame && !looksTwice ? question : again
  }

  /// Whether only a socket can tell.
  ///
  /// Of IPv6 packets from a source, and be it the kernel's choice, `ip` can't ask what becomes of them over an interface.
  /// Where neither question leads there, a route for some sources may all the same. And IPv4 sockets can be bound to
  /// what the local table has, which rules may keep look-ups from.
  func isBeyondAsking(_ target: Target) -> Bool {
    if let source = target.source, source.family == .v4 {
      return !snapshot.isAssigned(source, over: nil)
    }
    guard target.interface != nil, case .address(let address) = target.destination, address.family == .v6
    else {
      return false
    }
    return evidence.plain(Question(address, with: target).from(nil))?.isRefused ?? true
  }

  /// Whether a socket does not get what the answer says, since that leaves the interface aside.
  private func isOverruled(_ question: Question) -> Bool {
    switch evidence.plain(question) {
    case .route(let line)?:
      let name = line.isHere ? evidence.exact(question)?.route?.dev ?? line.dev : line.dev
      return name.flatMap(snapshot.link(named:)).map { !isAllowed($0, question) } ?? false
    case .refused?:
      // Routes that refuse are passed over, rules are not; the socket tells which it was.
      return evidence.plain(question.from(nil))?.route != nil && evidence.socket(question)?.errorNumber == 0
    case nil: return false
    }
  }

  private func refusal(_ words: String, _ question: Question) -> Status {
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

  /// The one link that would have the destination, or the one that was asked for, may say why there is no route.
  private func noRoute(_ question: Question) -> Status {
    let owners =
      question.interface.map { [snapshot.link($0)].compactMap(\.self) }
      ?? snapshot.owners(of: question.destination)
    guard owners.count == 1, let reason = owners[0].trouble else { return .notReachable(.noRoute) }
    return dead(owners[0], reason)
  }

  private func dead(_ link: Snapshot.Link, _ reason: Reason) -> Status {
    Status(
      .notReachable, reason: reason,
      flags: reason != .linkDormant
        ? []
        : link.isTunnel
          ? [.reachable, .connectionRequired, .transientConnection] : [.reachable, .connectionRequired],
      interface: link.interface)
  }

  private func status(_ line: RouteLine, _ exact: RouteAnswer?, _ question: Question) -> Status {
    if line.isHere {
      // The plain answer names the loopback interface whichever has the address.
      let link = (exact?.route?.dev ?? line.dev).flatMap(snapshot.link(named:))
      if question.source ?? line.source == nil {
        return .notReachable(.sourceAddressMissing, over: link?.interface)
      }
      return Status(
        .reachable, flags: [.reachable, .isLocalAddress, .isDirect], interface: link?.interface,
        source: question.source ?? line.source)
    }
    if case .refused? = exact, line.type == "unicast", question.interface != nil,
      question.destination.family == .v4
    {
      // No entry matches: the kernel takes the destination for a neighbour.
      return noRoute(question)
    }
    guard let link = line.dev.flatMap(snapshot.link(named:)) else { return .unknown(.systemError) }
    guard isAllowed(link, question) else { return noRoute(question) }
    let reason = link.trouble ?? (exact?.route?.isDead == true ? .noCarrier : nil)
    if let reason {
      for hop in exact?.route?.hops ?? [] where !hop.isDead {
        guard let other = hop.dev.flatMap(snapshot.link(named:)), other.trouble == nil,
          isAllowed(other, question)
        else { continue }
        return reachable(other, hop.nextAddress, question.source ?? exact?.route?.source)
      }
      return dead(link, reason)
    }
    guard let source = question.source ?? line.source, question.source != nil || !source.isLoopback else {
      return .notReachable(.sourceAddressMissing, over: link.interface)
    }
    return reachable(link, line.nextAddress, source)
  }

  /// Whether packets over a link leave by the interface that was asked for, or by a part of it.
  private func isAllowed(_ link: Snapshot.Link, _ question: Question) -> Bool {
    guard let wanted = question.interface.flatMap(snapshot.link) else { return true }
    return link.ifindex == wanted.ifindex || (link.master == wanted.ifname && wanted.linkinfo?.made == "vrf")
  }

  private func reachable(_ link: Snapshot.Link, _ gateway: IPAddress?, _ source: IPAddress?) -> Status {
    var flags: Status.Flags = .reachable
    if gateway == nil, !link.isPointToPoint { flags.insert(.isDirect) }
    if link.isTunnel { flags.insert(.transientConnection) }
    return Status(.reachable, flags: flags, interface: link.interface, gateway: gateway, source: source)
  }
}
#endif
