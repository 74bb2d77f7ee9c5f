// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

/// The answer of the routing tables to a query.
package typealias RouteAnswer = Result<RouteMessage, RouteRefusal>

/// The reason why a packet would not be sent.
package enum RouteRefusal: Error {
  case networkUnreachable
  case hostUnreachable
  case invalid
  case accessDenied
  case noDevice
  /// An IPsec policy blocks packets.
  case policy
  /// The kernel does not support the destination's family.
  case familyUnsupported
  /// An error that does not concern the destination.
  case trouble

  /// Converts a kind of route that sends no packets, for which the kernel mostly returns an error.
  init(_ kind: RouteKind) {
    switch kind {
    case .blackhole: self = .invalid
    case .unreachable: self = .hostUnreachable
    case .prohibit: self = .accessDenied
    case .throw: self = .networkUnreachable
    default: self = .trouble
    }
  }
}

extension RouteAnswer {
  /// Returns the answer with a source that the kernel did not choose.
  func from(_ source: ReachabilityAddress) -> RouteAnswer {
    map { route in
      var route = route
      route.preferredSource = source
      return route
    }
  }

  /// Whether packets go to all hosts on a link.
  var isBroadcast: Bool {
    if case .success(let route) = self { route.kind == .broadcast } else { false }
  }

  /// Whether packets leave by a next hop, whatever the address.
  var isUnicast: Bool {
    if case .success(let route) = self { route.kind == .unicast } else { false }
  }
}

/// A route as the answer to a lookup.
extension RouteMessage {
  /// Whether the route can be one of the local table, the only one in which `bind` looks for IPv4 addresses.
  ///
  /// While there are no rules, the kernel keeps the local table in the main one (254), and names that.
  var isOfLocalTable: Bool { table == 255 || table == 254 }

  /// Whether the route is one of a local table that the kernel keeps apart.
  var isOfLocalTableAlone: Bool { table == 255 }

  /// Whether an entry is not the one that matches a destination, but shares its next-hop object.
  ///
  /// Each processor caches the result of an IPv6 next-hop object for the route that it looked up first
  /// (`rt6_get_pcpu_route`), and takes it for every route with that object: the next hop is right, but the prefix, the
  /// metric and the table are another route's.
  func isOfAnotherRoute(than destination: ReachabilityAddress) -> Bool {
    nextHopID != nil && prefix?.contains(destination) == false
  }

  /// Whether the kernel reports that no next hop works, whatever the states of the links.
  var isDeadEverywhere: Bool { nextHops.isEmpty ? flags.isDown : nextHops.allSatisfy(\.flags.isDown) }

  /// The remaining lifetime, or `nil` if the route does not expire.
  ///
  /// The kernel counts hundredths of a second, rounded down; with 20 ms more, the route is gone by then.
  var lifetime: Duration? { expires > 0 ? .milliseconds(Int64(expires) * 10 + 20) : nil }

  /// The encapsulation, if packets leave by the route to another destination because of it.
  var detour: Encapsulation? {
    switch encapsulation {
    // These make another destination: LWTUNNEL_ENCAP_ILA, _RPL and _IOAM6.
    case .segment, .other(3), .other(8), .other(9): encapsulation
    case .frames, .other, nil: nil
    }
  }

  /// The segment to which packets are sent in others.
  var segment: ReachabilityAddress? {
    if case .segment(let segment)? = encapsulation { segment } else { nil }
  }
}

extension RouteKind {
  /// Whether packets leave or are delivered.
  package var sends: Bool {
    switch self {
    case .unicast, .local, .broadcast, .anycast, .multicast: true
    default: false
    }
  }

  /// Whether packets may be delivered on this machine.
  var isHere: Bool { self == .local || self == .anycast }
}

extension RouteFlags {
  /// Whether the kernel reports that a next hop is dead or its link has no carrier.
  var isDown: Bool { !isDisjoint(with: [.linkDown, .dead]) }
}

/// The answers that an evaluation has so far.
package struct RouteAnswers: Sendable {
  // Apart, so that a search copies no answer.
  private var requests: [RouteRequest] = []
  private var answers: [RouteAnswer] = []

  package init() {}

  var isEmpty: Bool { requests.isEmpty }

  package subscript(request: RouteRequest) -> RouteAnswer? {
    get { position(of: request).map { answers[$0] } }
    set {
      guard let newValue else { return }
      if let position = position(of: request) {
        answers[position] = newValue
      } else {
        if requests.isEmpty { reserve(4) }
        requests.append(request)
        answers.append(newValue)
      }
    }
  }

  /// The answer to the question for the entry that matches packets: where they have no route, both answers are the same error.
  func entry(for request: RouteRequest) -> RouteAnswer? {
    if case .failure(let refusal)? = self[request] { return .failure(refusal) }
    return self[request.exact]
  }

  private mutating func reserve(_ count: Int) {
    requests.reserveCapacity(count)
    answers.reserveCapacity(count)
  }

  private func position(of request: RouteRequest) -> Int? {
    // There are a few; all but two or three differ in the destination or the form.
    requests.firstIndex { $0.form == request.form && $0 == request }
  }
}
#endif
