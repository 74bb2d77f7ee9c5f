// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// A query about packets: their destination and constraints.
struct Question: Hashable, Sendable {
  var destination: ReachabilityAddress
  var source: ReachabilityAddress?
  var interface: ReachabilityTarget.Interface?
  var mark: UInt32?
  var transport: ReachabilityTarget.Transport
  /// Whether the target names no protocol.
  let isTransportImplied: Bool
  var port: UInt16?
  var userID: UInt32

  init(_ destination: ReachabilityAddress, with inquiry: Inquiry) {
    self.destination = destination
    let target = inquiry.target
    source = target.source
    interface = target.interface
    mark = target.mark
    // Programs connect with TCP, except to all hosts of a group or link.
    transport = target.transport ?? (target.port == nil && destination.isForAll ? .udp : .tcp)
    isTransportImplied = target.transport == nil && target.port == nil
    port = target.port
    userID = inquiry.userID
  }

  /// The query for the result of a packet, as arguments of `ip`.
  var plain: String { "route get \(words)" }

  /// The query for the matching route.
  var exact: String { "route get fibmatch \(words)" }

  /// The query for the source as a local address, or one of its link; the IPv6 lookup does not check it.
  var ofSource: String? {
    source.map { "route get \($0)" + ($0.isOfLink ? oif : "") }
  }

  /// Returns the same question from another source, or from any.
  func from(_ source: ReachabilityAddress?) -> Question {
    var question = self
    question.source = source
    return question
  }

  /// Returns the same question for a transport.
  func with(_ transport: ReachabilityTarget.Transport) -> Question {
    var question = self
    question.transport = transport
    return question
  }

  /// The same question for datagrams, if TCP cannot connect there and the target names no protocol.
  func adapted(to line: RouteLine?) -> Question {
    isTransportImplied && destination.family == .v4 && line?.type == "broadcast" ? with(.udp) : self
  }

  /// Whether TCP refuses the destination, whatever the routes.
  var isRefusedByTCP: Bool { transport == .tcp && destination.isForAll }

  /// Whether the lookup treats the interface as a preference: with a source, the one for IPv6 does.
  var prefersInterface: Bool { source != nil && interface != nil && destination.family == .v6 }

  private var words: String {
    "\(destination)" + (source.map { " from \($0)" } ?? "") + oif + (mark.map { " mark \($0)" } ?? "")
      + (userID == 0 ? "" : " uid \(userID)") + " ipproto \(transport)"
      + (port.map { " dport \($0)" } ?? "")
  }

  /// Returns the socket of the same query.
  func plan(over index: UInt32) -> SocketPlan {
    SocketPlan(
      to: destination.octets, port: port ?? 9, isStream: transport == .tcp, from: source?.octets, over: index,
      mark: mark ?? 0)
  }

  private var oif: String {
    switch interface {
    case .name(let name): " oif \(name)"
    case .bytes: ""
    case .index(let index): " oif if\(index)"
    case nil: ""
    }
  }

  /// Returns the questions that determine the status of a target.
  static func all(about inquiry: Inquiry) -> [Question] {
    switch inquiry.target.destination {
    case .address(let address): [Question(address, with: inquiry)]
    case .defaultRoute:
      families(of: inquiry.target).flatMap(defaultCandidates).map { Question($0, with: inquiry) }
    case .host: []
    }
  }

  /// Returns the queried families of the default route.
  static func families(of target: ReachabilityTarget) -> [ReachabilityAddress.Family] {
    target.source.map { [$0.family] } ?? [.v4, .v6]
  }

  /// Returns addresses that only a default route covers, in the order of their use.
  static func defaultCandidates(_ family: ReachabilityAddress.Family) -> [ReachabilityAddress] {
    family == .v4 ? ["0.0.0.1", "240.0.0.1", "192.88.99.1"] : ["2000::", "100::1", "3000::1"]
  }
}

extension ReachabilityAddress {
  /// Whether packets are for a group, or for all hosts on a link.
  fileprivate var isForAll: Bool { isMulticast || self == "255.255.255.255" }

  /// Whether an IPv6 socket can be bound to the address on its interface only.
  var isOfLink: Bool { needsZone || (isLoopback && family == .v6) }
}
