#if os(Linux)
import InternetProtocol
import Reachability

/// A question about packets: where they go, and with which constraints.
struct Question: Hashable, Sendable {
  var destination: IPAddress
  var source: IPAddress?
  var interface: Target.Interface?
  var mark: UInt32?

  init(_ destination: IPAddress, with target: Target) {
    self.destination = destination
    source = target.source
    interface = target.interface
    mark = target.mark
  }

  /// What becomes of a packet, in the words of `ip`.
  var plain: String { "route get \(words)" }

  /// Which entry matches.
  var exact: String { "route get fibmatch \(words)" }

  /// Whether the source is an address of this machine, or of the link that it needs, which the IPv6 look-up does not mind.
  var ofSource: String? {
    source.map { "route get \($0)" + ($0.isOfLink ? oif : "") }
  }

  /// The same question about packets from another source, or from any.
  func from(_ source: IPAddress?) -> Question {
    var question = self
    question.source = source
    return question
  }

  /// Whether the look-up takes the interface for a wish: with a source, the one for IPv6 does.
  var isOnlyWish: Bool { source != nil && interface != nil && destination.family == .v6 }

  private var words: String {
    "\(destination)" + (source.map { " from \($0)" } ?? "") + oif + (mark.map { " mark \($0)" } ?? "")
  }

  private var oif: String {
    switch interface {
    case .name(let name): " oif \(name)"
    case .index(let index): " oif if\(index)"
    case nil: ""
    }
  }

  /// The questions that the status of a target is made of.
  static func all(about target: Target) -> [Question] {
    switch target.destination {
    case .address(let address): [Question(address, with: target)]
    case .defaultRoute: families(of: target).flatMap(defaultCandidates).map { Question($0, with: target) }
    case .host: []
    }
  }

  /// The families that are asked about for the default route.
  static func families(of target: Target) -> [IPAddress.Family] {
    target.source.map { [$0.family] } ?? [.v4, .v6]
  }

  /// Addresses that only a default route covers, in the order in which they are tried.
  static func defaultCandidates(_ family: IPAddress.Family) -> [IPAddress] {
    family == .v4 ? ["0.0.0.1", "240.0.0.1", "192.88.99.1"] : ["2000::", "100::1", "3000::1"]
  }
}

extension IPAddress {
  /// Whether an IPv6 socket can be bound to this only where it is.
  var isOfLink: Bool { needsZone || (isLoopback && family == .v6) }
}
#endif
