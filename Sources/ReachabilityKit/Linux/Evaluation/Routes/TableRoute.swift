#if os(Linux)
import Netlink

/// A route of a table, as far as explanations need it.
package struct TableRoute: Hashable, Sendable {
  /// The effect of a route on the packets that it matches.
  package enum Effect: Hashable, Sendable {
    case send
    case refuse(Rule.Refusal)
    /// Continue with the next rule, `RTN_THROW`.
    case skipTable
    /// An effect that is not known here.
    case other
  }

  package var effect: Effect
  package var prefix: IPPrefix
  package var table: UInt32
  /// The type of service of the packets, or zero for any.
  package var typeOfService: UInt8
  package var metric: UInt32
  /// The sources that the route is for, or `nil` for any.
  package var source: IPPrefix?
  /// The number of the next-hop object, if the route has one.
  package var nextHopID: UInt32?
  /// The indexes of the interfaces.
  package var interfaces: [Int32]
  /// Whether the kernel may pass over the route for a reason of its own, for example a dead next hop.
  package var mayBeUnusable: Bool

  package init(
    _ effect: Effect, _ prefix: IPPrefix, table: UInt32 = 254, typeOfService: UInt8 = 0, metric: UInt32 = 0,
    source: IPPrefix? = nil, nextHopID: UInt32? = nil, interfaces: [Int32] = [], mayBeUnusable: Bool = false
  ) {
    self.effect = effect
    self.prefix = prefix
    self.table = table
    self.typeOfService = typeOfService
    self.metric = metric
    self.source = source
    self.nextHopID = nextHopID
    self.interfaces = interfaces
    self.mayBeUnusable = mayBeUnusable
  }
}

extension TableRoute {
  /// Whether the kernel uses the route for the packets of a query, if it comes to it; `nil` if that is not known.
  func isUsable(by question: RouteQuestion) -> Bool? {
    guard prefix.contains(question.destination) else { return false }
    let isIPv4 = prefix.address.bitWidth == 32
    // Queries have no type of service.
    if typeOfService != 0 { return isIPv4 ? false : nil }
    if mayBeUnusable || source != nil { return nil }
    guard let interface = question.interface else { return true }
    if isIPv4, effect != .send { return true }
    return interfaces == [interface] ? true : nil
  }

  /// Whether `ip route del` with ``removal`` removes this route and not another one.
  func isRemovedFirst(among routes: [TableRoute]) -> Bool {
    let first = routes.first { other in
      guard (other.table, other.prefix, other.source) == (table, prefix, source),
        other.typeOfService == typeOfService, metric == 0 || other.metric == metric
      else { return false }
      if let nextHopID { return other.nextHopID == nextHopID }
      // The kernel compares the kinds of IPv4 routes, and the interfaces of IPv6 routes.
      return prefix.address.bitWidth == 32 ? other.effect == effect : other.interfaces == interfaces
    }
    return first == self
  }

  /// The refusal and the prefix, for example `blackhole 10.66.1.0/24`.
  var text: String {
    let range = prefix.length == 0 ? "default" : prefix.description
    if case .refuse(let refusal) = effect { return "\(refusal.rawValue) \(range)" }
    return range
  }

  /// The arguments of `ip route del` that remove the route.
  ///
  /// - Parameter interface: The name of its interface, which IPv6 routes have even if they send nothing.
  func removal(interface: InterfaceName?) -> String {
    var words: [String] = []
    if let nextHopID {
      // Whether it refuses is a property of the next-hop object, not of the route.
      words = [prefix.length == 0 ? "default" : prefix.description, "nhid \(nextHopID)"]
    } else {
      words = [text]
      if let interface, interface == "lo" { words.append("dev lo") }
    }
    if let source { words.insert("from \(source)", at: 1) }
    if metric > 0 { words.append("metric \(metric)") }
    return (words + ["table \(Rule.name(ofTable: table))"]).joined(separator: " ")
  }
}
#endif
