// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Netlink

extension RouteKind {
  /// The refusal of a route that sends no packets, with a word for each.
  var refusal: Rule.Refusal? {
    switch self {
    case .blackhole: .blackhole
    case .unreachable: .unreachable
    case .prohibit: .prohibit
    default: nil
    }
  }
}

/// A route of a table, as lookups meet it.
extension RouteMessage {
  /// Whether the kernel uses the route for the packets of a query, if it comes to it; `nil` if that is not known.
  func isUsable(by question: RouteRequest) -> Bool? {
    guard prefix?.contains(question.destination) == true else { return false }
    let isIPv4 = family == .ipv4
    // Queries have no type of service.
    if typeOfService != 0 { return isIPv4 ? false : nil }
    if mayBeUnusable { return nil }
    guard let interface = question.interface else { return true }
    if isIPv4, !kind.sends { return true }
    return interfaces == [interface] ? true : nil
  }

  /// Whether the kernel may pass over the route for a reason of its own: it is for some sources, expired, or has a dead
  /// next hop or an IPv6 router, which may not answer.
  private var mayBeUnusable: Bool {
    return sourceLength > 0 || expires != 0 || kind.sends && interfaces.isEmpty
      || flags.isDown || nextHops.contains(where: \.flags.isDown)
      || family == .ipv6 && (gateway != nil || nextHops.contains { $0.gateway != nil })
  }

  /// The indexes of the interfaces.
  var interfaces: [Int32] { interface.map { [$0] } ?? nextHops.map(\.interface) }

  /// The metric, which IPv4 routes without one lack.
  var metric: UInt32 { priority ?? 0 }

  /// The sources that the route is for, or `nil` for any.
  private var sources: IPPrefix? {
    sourceLength == 0 ? nil : sourceNetwork.flatMap { IPPrefix($0, length: Int(sourceLength)) }
  }

  /// Whether `ip route del` with ``removal`` removes this route and not another one.
  func isRemovedFirst(among routes: [RouteMessage]) -> Bool {
    let first = routes.first { other in
      guard (other.table, other.prefix, other.sources) == (table, prefix, sources),
        other.typeOfService == typeOfService, metric == 0 || other.metric == metric
      else { return false }
      if let nextHopID { return other.nextHopID == nextHopID }
      // The kernel compares the kinds of IPv4 routes, and the interfaces of IPv6 routes.
      return family == .ipv4 ? other.kind == kind : other.interfaces == interfaces
    }
    return first == self
  }

  /// The refusal and the prefix, for example `blackhole 10.66.1.0/24`.
  var text: String {
    kind.refusal.map { "\($0.rawValue) \(range)" } ?? range
  }

  private var range: String { destinationLength == 0 ? "default" : prefix?.description ?? "" }

  /// The arguments of `ip route del` that remove the route.
  ///
  /// - Parameter interface: The name of its interface, which IPv6 routes have even if they send nothing.
  func removal(interface: InterfaceName?) -> String {
    var words: [String] = []
    if let nextHopID {
      // Whether it refuses is a property of the next-hop object, not of the route.
      words = [range, "nhid \(nextHopID)"]
    } else {
      words = [text]
      if let interface, interface == "lo" { words.append("dev lo") }
    }
    if let sources { words.insert("from \(sources)", at: 1) }
    if metric > 0 { words.append("metric \(metric)") }
    return (words + ["table \(Rule.name(ofTable: table))"]).joined(separator: " ")
  }
}
#endif
