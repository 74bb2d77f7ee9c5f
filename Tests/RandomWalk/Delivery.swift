#if os(Linux)
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// Where the datagrams of a socket arrived.
struct Delivery: Hashable {
  /// What arrived of one kind of socket.
  struct Part: Hashable {
    /// How many datagrams the kernel accepted.
    var accepted = 0
    /// Whether any was delivered on this machine.
    var isHere = false
    /// The links that sent those which arrived at far ends, with the hardware addresses of whom they were for.
    var hops: Set<Hop> = []
  }

  struct Hop: Hashable {
    /// The hardware address of the link, or nothing for the tunnel.
    var sender: [UInt8]
    var receiver: [UInt8]
  }

  /// Of sockets that are connected, which looks the route up with the source that was chosen.
  var connected = Part()
  /// Of sockets that are not.
  var unconnected = Part()

  /// What contradicts a status, or `nil` if what one kind of socket sent agrees with it.
  ///
  /// - Parameter question: What the status is about.
  func complaint(about status: ReachabilityStatus, of question: Question, _ evidence: Evidence) -> String? {
    guard let first = connected.complaint(about: status, of: question, evidence),
      unconnected.complaint(about: status, of: question, evidence) != nil
    else { return nil }
    return first
  }

  /// What arrived, for people.
  func text(_ snapshot: Snapshot) -> String {
    "connected: \(connected.text(snapshot)), others: \(unconnected.text(snapshot))"
  }
}

extension Delivery.Part {
  fileprivate func complaint(about status: ReachabilityStatus, of question: Question, _ evidence: Evidence)
    -> String?
  {
    let snapshot = evidence.snapshot
    let isForSeveral = evidence.isForSeveral(question)
    guard status.isReachable else {
      switch status.reason {
      // These leave all the same.
      case .linkDormant, .sourceAddressMissing: return nil
      case .noRoute, .interfaceDown, .noCarrier:
        // The kernel takes the destination for a neighbour, also where it is none.
        if question.interface != nil, question.destination.family == .v4, status.reason == .noRoute {
          return nil
        }
      default: break
      }
      // Packets pass a link that waits for a login.
      let passed = hops.filter { hop in
        snapshot.links.first { $0.octets == hop.sender }?.trouble != .linkDormant
      }
      // Packets for all on a link are delivered here as well, whatever becomes of them on the link; and where ports choose
      // the way, they choose the source, with which sockets look again.
      if isForSeveral {
        return passed.isEmpty || evidence.dependsOnPort(question) ? nil : "datagrams arrived"
      }
      return passed.isEmpty && !isHere ? nil : "datagrams arrived"
    }
    if status.flags.contains(.isLocalAddress) {
      // Packets for an anycast or multicast address that someone gave the loopback interface get lost there.
      let type = evidence.plain(question)?.route.map { $0.isKernels ? "" : $0.type }
      let isLost = type == "anycast" || isForSeveral
      // The kernel says nowhere that the loopback interface takes no IPv6 packets.
      let isOff = question.destination.family == .v6 && !evidence.loopbackHasIPv6
      return isHere || isLost || isOff ? nil : "nothing was delivered here"
    }
    guard let link = status.interface.flatMap({ snapshot.link(.index($0.index)) }) else {
      return "no such link"
    }
    guard snapshot.isObserved(link), !evidence.isChoice(of: link, status.gateway, question) else {
      return nil
    }
    let own = hops.filter { $0.sender == link.octets }
    if own.isEmpty { return "nothing arrived over \(link.ifname)" }
    // Without a neighbour's address there is none to compare.
    guard link.hasNeighbours, !isForSeveral else { return nil }
    let next = (status.gateway ?? question.destination).hardwareAddress
    return own.contains { $0.receiver == next } ? nil : "nothing arrived for that gateway"
  }

  fileprivate func text(_ snapshot: Snapshot) -> String {
    let places = hops.map { hop in
      let link = snapshot.links.first { $0.octets == hop.sender }?.ifname ?? "\(hop.sender)"
      return "over \(link) for \(hop.receiver.map { String($0, radix: 16) }.joined(separator: ":"))"
    }
    let all = (isHere ? ["here"] : []) + places.sorted()
    return "\(accepted) sent, arrived \(all.isEmpty ? "nowhere" : all.joined(separator: " and "))"
  }
}

extension IPAddress {
  /// A hardware address for a neighbour with this address.
  var hardwareAddress: [UInt8] {
    family == .v4
      ? [0x02, 0x04] + octets : [0x02, 0x06, octets[0] ^ octets[2], octets[3], octets[14], octets[15]]
  }
}

// MARK: - How it is found out

extension Evidence {
  /// How many datagrams are sent from each kind of socket where ports choose the way, and where they do not.
  private static let counts = (varied: 12, plain: 2)

  /// Whether packets are for several machines on a link.
  fileprivate func isForSeveral(_ question: Question) -> Bool {
    question.destination.isMulticast || plain(question)?.route?.type == "broadcast"
  }

  /// Sends datagrams, or connects TCP sockets, to those targets of which no lookup tells enough.
  mutating func sendPackets(_ inquiries: [Inquiry], _ lab: Lab) throws {
    let questions = inquiries.compactMap { inquiry -> Question? in
      guard case .address(let address) = inquiry.target.destination, lab.hasIPv6 || address.family == .v4
      else { return nil }
      let question = Question(address, with: inquiry)
      guard question.source?.family ?? address.family == address.family else { return nil }
      return inquiry.wantsPackets || question.transport == .tcp || hasSeveralWays(question) ? question : nil
    }
    guard !questions.isEmpty, try !hasRivals(questions, lab) else { return }
    let varied = questions.filter { dependsOnPort($0) && $0.transport == nil }
    // Rules may send packets of TCP elsewhere, which is another matter.
    let segments = varied.map { $0.with(.tcp) }
    let ways = try lab.ask(segments.map(\.exact)).map(RouteAnswer.init)
    let unlike = Set(
      zip(varied, ways).filter { question, way in
        guard let one = exact(question)?.route, let other = way.route else { return true }
        return !one.isSameEntry(as: other)
      }.map(\.0))
    let neighbours = Set(questions.flatMap(neighbours))
    let again = questions.flatMap { question in [question, withSource(question)].compactMap(\.self) }
    // With neighbours the kernel may choose another one of several default routes, and a third one the next time.
    // Entries that stay, also those that the kernel made for these packets, take part in the choice of next hops.
    defer { lab.change(["neigh flush all", "neigh flush nud permanent", "neigh flush nud noarp"]) }
    guard lab.change(neighbours.map(\.addition)) else { return }
    let answers = try lab.ask(again.map(\.plain) + again.map(\.plain)).map(RouteAnswer.init)
    let changed = zip(again + again, answers).filter { plain($0.0) != $0.1 }.map(\.0.destination)
    for question in questions where !changed.contains(question.destination) {
      guard let index = snapshot.index(question.interface), !unlike.contains(question) else { continue }
      let plan = question.plan(over: index)
      if plan.isStream {
        sockets[question] = try lab.inside {
          try Users.acting(as: question.userID) { Connection(plan) }
        }
      } else {
        let isVaried = dependsOnPort(question)
        deliveries[question] = try lab.deliver(
          isVaried ? Self.counts.varied : Self.counts.plain, plan, as: question.userID,
          protocols: varied.contains(question))
      }
    }
  }

  /// Whether a hop is the kernel's choice of several for packets of no protocol, which those of TCP and UDP need not share.
  fileprivate func isChoice(of link: Snapshot.Link, _ gateway: IPAddress?, _ question: Question) -> Bool {
    guard dependsOnPort(question), question.transport == nil, let line = plain(question)?.route else {
      return false
    }
    return line.dev == link.ifname && line.nextAddress == gateway
  }

  /// Whether the kernel may take any of several IPv4 default routes, which it does by turns where it knows the routers.
  private func hasRivals(_ questions: [Question], _ lab: Lab) throws -> Bool {
    let isConcerned = questions.contains { question in
      question.destination.family == .v4 && exact(question)?.route?.prefixLength == 0
    }
    guard isConcerned else { return false }
    guard case .done(let text)? = try lab.ask(["route show table all exact 0.0.0.0/0"]).first,
      // There is no new line after this list.
      let end = text.lastIndex(of: "]")
    else { return true }
    let routes = try JSONDecoder().decode([RouteLine].self, from: Data(text[...end].utf8))
    return Set(routes.map(\.table)).count < routes.count
  }

  /// An entry of the neighbour table, without which packets would wait for an answer that never comes.
  private struct Neighbour: Hashable {
    var address: IPAddress
    var device: String

    var addition: String {
      let octets = address.hardwareAddress.map { String($0, radix: 16) }
      return "neigh replace \(address) dev \(device) lladdr \(octets.joined(separator: ":")) nud permanent"
    }
  }

  /// The neighbours that packets may go to.
  private func neighbours(_ question: Question) -> [Neighbour] {
    [question, withSource(question), question.isOnlyWish ? question.from(nil) : nil].compactMap(\.self)
      .flatMap { question -> [Neighbour] in
        let lines = [plain(question)?.route, exact(question)?.route].compactMap(\.self)
        let ways = lines.flatMap { line in
          [(line.dev, line.nextAddress)] + line.hops.map { ($0.dev, $0.nextAddress) }
        }
        return ways.compactMap { device, next in
          guard let device, snapshot.link(named: device)?.hasNeighbours == true else { return nil }
          guard let address = next ?? (isForSeveral(question) ? nil : question.destination) else {
            return nil
          }
          return Neighbour(address: address, device: device)
        }
      }
  }
}
#endif
