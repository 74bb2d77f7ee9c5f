// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink
import ReachabilityKit

/// Link tables and a kernel that answers from a dictionary.
struct Scenario {
  var network = NetworkState()
  var isWatching = false
  var allowsAnySource = false
  var answers: [RouteRequest: RouteAnswer] = [:]

  /// A mistake in a script.
  enum Trouble: Error, Equatable {
    case unanswered(RouteRequest)
    case unknownLink(Int32)
    case endless([RouteRequest])
  }

  /// An evaluation and its queries, in order.
  struct Outcome: Equatable {
    var evaluation: Evaluation
    var asked: [RouteRequest]
  }

  /// Creates tables of links, each with its addresses (`10.1.0.1/24`).
  init(_ links: [(LinkState, addresses: [String])], isWatching: Bool = false) {
    self.isWatching = isWatching
    // Without rules, the kernel keeps the local table in the main one.
    answers[RouteRequest("127.0.0.1")] = .success(RouteMessage(.local, interface: 1, table: 254))
    for (link, addresses) in links {
      _ = network.update(link)
      for address in addresses { _ = network.update(AddressMessage(address, on: link.index)) }
    }
  }

  init(_ links: [LinkState], isWatching: Bool = false) {
    self.init(links.map { ($0, addresses: []) }, isWatching: isWatching)
  }

  /// Sets the answer to the plain query, and to the exact one if it is given.
  ///
  /// The interface has the IPv4 source that the answer names, as it mostly is.
  mutating func answer(_ question: RouteRequest, _ plain: RouteAnswer, exact: RouteAnswer? = nil) {
    if case .success(let reply) = plain, let source = reply.preferredSource,
      let prefix = IPPrefix(source, length: 32),
      let index = reply.interface, source.bitWidth == 32
    {
      _ = network.update(AddressMessage(address: source, prefix: prefix, index: index))
    }
    answers[question] = plain
    if let exact { answers[question.exact] = exact }
  }

  /// Answers until the status is known.
  func run(_ target: ReachabilityTarget) throws -> Outcome {
    var evaluator = Evaluator(network: network, isWatching: isWatching)
    evaluator.allowsAnySource = allowsAnySource
    var known = RouteAnswers()
    var asked: [RouteRequest] = []
    // The limit of rounds is that of the real source.
    for _ in 0..<24 {
      switch evaluator.evaluate(target, known) {
      case .known(let evaluation): return Outcome(evaluation: evaluation, asked: asked)
      case .unknownLink(let index): throw Trouble.unknownLink(index)
      case .ask(let questions):
        for question in questions {
          guard let answer = answer(to: question) else { throw Trouble.unanswered(question) }
          known[question] = answer
        }
        asked += questions
      }
    }
    throw Trouble.endless(asked)
  }

  /// The answer that was set, or, where the kernel would hash addresses only, that of the same question of another
  /// connection, without a source or without a transport.
  private func answer(to question: RouteRequest) -> RouteAnswer? {
    if let answer = answers[question] { return answer }
    let similar = answers.keys.filter { known in
      var known = known
      if known.source == nil { known.source = question.source }
      if known.protocolNumber == nil { known.protocolNumber = question.protocolNumber }
      return known == question || question.sourcePort != nil && known.inFlow(of: question) == question
    }
    // An answer with the same source takes precedence.
    return (similar.first { $0.source == question.source } ?? similar.first).flatMap { answers[$0] }
  }

  func status(of target: ReachabilityTarget) throws -> ReachabilityStatus {
    try run(target).evaluation.status
  }
}

/// Links that are up; the index is the last number of their addresses' network.
enum Links {
  static let loopback = LinkState(ReachabilityInterface(name: "lo", index: 1, kind: .loopback))
  static let ethernet = LinkState(ReachabilityInterface(name: "eth0", index: 2, kind: .wired))
  static let wifi = LinkState(ReachabilityInterface(name: "wlan0", index: 3, kind: .wifi))
  static let cellular = LinkState(
    ReachabilityInterface(name: "wwan0", index: 4, kind: .cellular), isPointToPoint: true, isTransient: true)
  static let wireGuard = LinkState(
    ReachabilityInterface(name: "wg0", index: 5, kind: .other, isTunnel: true), isPointToPoint: true,
    isTransient: true)
  static let ppp = LinkState(
    ReachabilityInterface(name: "ppp0", index: 6, kind: .other), isPointToPoint: true, isTransient: true)
}

extension LinkState {
  /// The same link in another condition.
  func with(_ condition: Condition) -> LinkState {
    var link = self
    link.condition = condition
    return link
  }
}

extension AddressMessage {
  /// Reads `10.1.0.1/24`; a malformed literal is a programmer's mistake and traps.
  init(_ text: String, on index: Int32 = 0) {
    let parts = text.split(separator: "/")
    guard parts.count == 2, let address = ReachabilityAddress(parts[0]), let length = Int(parts[1]),
      let prefix = IPPrefix(address, length: length)
    else { preconditionFailure("\(text) is not an address with a prefix") }
    self.init(address: address, prefix: prefix, index: index)
  }
}

extension RouteRequest {
  /// The same packets in the flow of others.
  fileprivate func inFlow(of other: RouteRequest) -> RouteRequest {
    var request = self
    request.sourcePort = other.sourcePort
    return request
  }
}

extension RouteAnswer {
  /// Any route as an answer.
  static func route(_ route: RouteMessage) -> RouteAnswer { .success(route) }

  /// The route of a packet: an interface, a next hop and a source.
  static func route(
    _ interface: Int32, via gateway: ReachabilityAddress? = nil, from source: ReachabilityAddress? = nil
  ) -> RouteAnswer {
    .success(RouteMessage(interface: interface, gateway: gateway, source: source))
  }
}
#endif
