#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// A question about packets: where they go, and with which constraints.
struct Question: Hashable, Sendable {
  var destination: IPAddress
  var source: IPAddress?
  var interface: ReachabilityTarget.Interface?
  var mark: UInt32?
  var transport: ReachabilityTarget.Transport?
  var port: UInt16?
  var userID: UInt32

  init(_ destination: IPAddress, with inquiry: Inquiry) {
    self.destination = destination
    let target = inquiry.target
    source = target.source
    interface = target.interface
    mark = target.mark
    // A port alone is TCP's.
    transport = target.transport ?? (target.port == nil ? nil : .tcp)
    port = target.port
    userID = inquiry.userID
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

  /// The same question about packets of a transport.
  func with(_ transport: ReachabilityTarget.Transport) -> Question {
    var question = self
    question.transport = transport
    return question
  }

  /// Whether the look-up takes the interface for a wish: with a source, the one for IPv6 does.
  var isOnlyWish: Bool { source != nil && interface != nil && destination.family == .v6 }

  private var words: String {
    "\(destination)" + (source.map { " from \($0)" } ?? "") + oif + (mark.map { " mark \($0)" } ?? "")
      + (userID == 0 ? "" : " uid \(userID)") + (transport.map { " ipproto \($0)" } ?? "")
      + (port.map { " dport \($0)" } ?? "")
  }

  /// The socket that asks the same.
  func plan(over index: UInt32) -> SocketPlan {
    SocketPlan(
      to: destination.octets, port: port ?? 9, isStream: transport == .tcp, from: source?.octets, over: index,
      mark: mark ?? 0)
  }

  private var oif: String {
    switch interface {
    case .name(let name): " oif \(name)"
    case .index(let index): " oif if\(index)"
    case nil: ""
    }
  }

  /// The questions that the status of a target is made of.
  static func all(about inquiry: Inquiry) -> [Question] {
    switch inquiry.target.destination {
    case .address(let address): [Question(address, with: inquiry)]
    case .defaultRoute:
      families(of: inquiry.target).flatMap(defaultCandidates).map { Question($0, with: inquiry) }
    case .host: []
    }
  }

  /// The families that are asked about for the default route.
  static func families(of target: ReachabilityTarget) -> [IPAddress.Family] {
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
