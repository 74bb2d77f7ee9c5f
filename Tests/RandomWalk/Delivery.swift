// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// The places where the datagrams of a socket arrived.
struct Delivery: Hashable {
  /// The arrivals of one kind of socket.
  struct Part: Hashable {
    /// The number of datagrams that the kernel accepted.
    var accepted = 0
    /// Whether any was delivered on this machine.
    var isHere = false
    /// The links that sent the arrived datagrams, with the hardware addresses of their destinations.
    var hops: Set<Hop> = []
  }

  struct Hop: Hashable {
    /// The hardware address of the link; empty for the tunnel.
    var sender: [UInt8]
    var receiver: [UInt8]
  }

  /// The arrivals of connected sockets, which look the route up again with the chosen source.
  var connected = Part()
  /// The arrivals of unconnected sockets.
  var unconnected = Part()

  /// Returns what contradicts a status, or `nil` if the arrivals of one kind of socket agree with it.
  ///
  /// - Parameter question: The query that the status answers.
  func complaint(about status: ReachabilityStatus, of question: Question, _ evidence: Evidence) -> String? {
    guard let first = connected.complaint(about: status, of: question, evidence),
      unconnected.complaint(about: status, of: question, evidence) != nil
    else { return nil }
    return first
  }

  /// Describes the arrivals.
  func text(_ snapshot: Snapshot) -> String {
    "connected: \(connected.text(snapshot)), others: \(unconnected.text(snapshot))"
  }
}

extension Delivery.Part {
  fileprivate func complaint(about status: ReachabilityStatus, of question: Question, _ evidence: Evidence)
    -> String?
  {
    let snapshot = evidence.snapshot
    let hasSeveralReceivers = evidence.hasSeveralReceivers(question)
    guard status.isReachable else {
      switch status.reason {
      // Packets leave in spite of these.
      case .linkDormant, .sourceAddressMissing, .notUnicast: return nil
      case .noRoute, .interfaceDown, .noCarrier:
        // The kernel treats the destination as a neighbour, even where it is none.
        if question.interface != nil, question.destination.family == .v4, status.reason == .noRoute {
          return nil
        }
      default: break
      }
      // A dormant link passes packets.
      let passed = hops.filter { hop in
        snapshot.links.first { $0.octets == hop.sender }?.trouble != .linkDormant
      }
      // Packets for all hosts on a link are delivered here as well, whatever happens on the link. Where ports choose
      // the next hop, they choose the source, with which sockets look up again.
      if hasSeveralReceivers {
        return passed.isEmpty || evidence.dependsOnPort(question) ? nil : "datagrams arrived"
      }
      return passed.isEmpty && !isHere ? nil : "datagrams arrived"
    }
    if status.flags.contains(.isLocalAddress) {
      // Packets for an anycast or multicast address of the loopback interface are lost there.
      let type = evidence.plain(question)?.route.map { $0.isKernels ? "" : $0.type }
      let isLost = type == "anycast" || hasSeveralReceivers
      // No message of the kernel reports that the loopback interface drops IPv6 packets.
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
    // Without a neighbour's address nothing can be compared.
    guard link.hasNeighbours, !hasSeveralReceivers else { return nil }
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

extension ReachabilityAddress {
  /// The hardware address of a simulated neighbour with this address.
  var hardwareAddress: [UInt8] {
    family == .v4
      ? [0x02, 0x04] + octets : [0x02, 0x06, octets[0] ^ octets[2], octets[3], octets[14], octets[15]]
  }
}

// MARK: - Sending

extension Evidence {
  /// The number of datagrams from each kind of socket where ports choose the next hop, and elsewhere.
  private static let counts = (varied: 12, plain: 2)

  /// Whether packets have several receivers on a link.
  fileprivate func hasSeveralReceivers(_ question: Question) -> Bool {
    question.destination.isMulticast || plain(question)?.route?.type == "broadcast"
  }

  /// Sends datagrams, or connects TCP sockets, to those targets that lookups do not describe completely.
  mutating func sendPackets(_ inquiries: [Inquiry], _ lab: Lab) throws {
    let questions = inquiries.compactMap { inquiry -> Question? in
      guard case .address(let address) = inquiry.target.destination, lab.hasIPv6 || address.family == .v4
      else { return nil }
      let question = Question(address, with: inquiry)
      guard question.source?.family ?? address.family == address.family else { return nil }
      guard !question.isRefusedByTCP else { return nil }
      let isStream = question.transport == .tcp && !question.isTransportImplied
      return inquiry.wantsPackets || isStream || hasSeveralHops(question) ? question : nil
    }
    guard !questions.isEmpty, try !hasCompetingDefaults(questions, lab) else { return }
    let varied = questions.filter { dependsOnPort($0) && $0.isTransportImplied }
    // Rules for UDP may select another route, which is checked separately.
    let datagrams = varied.map { $0.with(.udp) }
    let routes = try lab.ask(datagrams.map(\.exact)).map(RouteAnswer.init)
    let unlike = Set(
      zip(varied, routes).filter { question, answer in
        guard let one = exact(question)?.route, let other = answer.route else { return true }
        return !one.isSameEntry(as: other)
      }.map(\.0))
    let neighbours = Set(questions.flatMap(neighbours))
    let again = questions.flatMap { question in [question, withSource(question)].compactMap(\.self) }
    // With neighbours the kernel may choose another one of several default routes, and a third one the next time.
    // Permanent entries, also those that the kernel made for these packets, take part in the choice of next hops.
    defer { lab.change(["neigh flush all", "neigh flush nud permanent", "neigh flush nud noarp"]) }
    guard lab.change(neighbours.map(\.addition)) else { return }
    let answers = try lab.ask(again.map(\.plain) + again.map(\.plain)).map(RouteAnswer.init)
    let changed = zip(again + again, answers).filter { plain($0.0) != $0.1 }.map(\.0.destination)
    for question in questions where !changed.contains(question.destination) {
      guard let index = snapshot.index(question.interface), !unlike.contains(question) else { continue }
      let line = plain(question)?.route
      let adapted = question.adapted(to: line)
      if adapted.transport == .tcp {
        let plan = adapted.plan(over: index)
        sockets[question] = try lab.inside {
          try Users.acting(as: question.userID) { Connection(plan) }
        }
        // Segments without a connection are not counted on this machine.
        let lines = [line, withSource(question).flatMap { plain($0)?.route }].compactMap(\.self)
        guard question.isTransportImplied, lines.allSatisfy({ ["unicast", "multicast"].contains($0.type) })
        else { continue }
      }
      let isVaried = dependsOnPort(question)
      let plan = (varied.contains(question) ? question.with(.udp) : adapted).plan(over: index)
      deliveries[question] = try lab.deliver(
        isVaried ? Self.counts.varied : Self.counts.plain, plan, as: question.userID,
        protocols: varied.contains(question))
    }
  }

  /// Whether a hop is the kernel's choice among several for packets without a protocol; TCP and UDP may differ from it.
  fileprivate func isChoice(of link: Snapshot.Link, _ gateway: ReachabilityAddress?, _ question: Question)
    -> Bool
  {
    guard dependsOnPort(question), question.isTransportImplied, let line = plain(question)?.route else {
      return false
    }
    return line.dev == link.ifname && line.nextAddress == gateway
  }

  /// Whether several IPv4 default routes compete, among which the kernel alternates where it knows the routers.
  private func hasCompetingDefaults(_ questions: [Question], _ lab: Lab) throws -> Bool {
    let isConcerned = questions.contains { question in
      question.destination.family == .v4 && exact(question)?.route?.prefixLength == 0
    }
    guard isConcerned else { return false }
    guard case .done(let text)? = try lab.ask(["route show table all exact 0.0.0.0/0"]).first,
      // This list has no final newline.
      let end = text.lastIndex(of: "]")
    else { return true }
    let routes = try JSONDecoder().decode([RouteLine].self, from: Data(text[...end].utf8))
    return Set(routes.map(\.table)).count < routes.count
  }

  /// An entry of the neighbour table, without which packets would wait for a reply that never arrives.
  private struct Neighbour: Hashable {
    var address: ReachabilityAddress
    var device: String

    var addition: String {
      let octets = address.hardwareAddress.map { String($0, radix: 16) }
      return "neigh replace \(address) dev \(device) lladdr \(octets.joined(separator: ":")) nud permanent"
    }
  }

  /// The possible neighbours of packets.
  private func neighbours(_ question: Question) -> [Neighbour] {
    [question, withSource(question), question.prefersInterface ? question.from(nil) : nil].compactMap(\.self)
      .flatMap { question -> [Neighbour] in
        let lines = [plain(question)?.route, exact(question)?.route].compactMap(\.self)
        let hops = lines.flatMap { line in
          [(line.dev, line.nextAddress)] + line.hops.map { ($0.dev, $0.nextAddress) }
        }
        return hops.compactMap { device, next in
          guard let device, snapshot.link(named: device)?.hasNeighbours == true else { return nil }
          guard let address = next ?? (hasSeveralReceivers(question) ? nil : question.destination) else {
            return nil
          }
          return Neighbour(address: address, device: device)
        }
      }
  }
}
