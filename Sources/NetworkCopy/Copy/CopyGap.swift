// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import Netlink

/// Something that the copy lacks, or has besides.
package struct CopyGap: Equatable, Sendable {
  package enum Kind: String, Sendable {
    case link, address, rule, route, setting
    case nextHop = "next hop"
  }

  package var kind: Kind
  /// The name of the link or the setting, or what identifies another object.
  package var name: String
  /// What the kernel said.
  package var reason: String
  /// The destinations of a route; `nil` where packets to any destination may be concerned.
  package var prefix: IPPrefix?
  /// The names of the links whose packets alone are concerned; `nil` for those of all links.
  package var links: Set<String>?

  /// The part and the reason, for example `the route to 10.9.0.0/16: Invalid argument`.
  package var description: String { "the \(kind.rawValue) \(name): \(reason)" }

  /// The user whose packets it does not concern; `nil` if it concerns those of all users.
  package var exceptUser: UInt32?

  /// Whether it makes also those answers doubtful that are as before; `nil` if it does unless it is an assumption.
  package var concernsUnchanged: Bool?

  /// Whether it matters only to those who use its links: no part is missing, but something is not known of them.
  package var isAssumption: Bool { links != nil }

  /// An answer that may depend on a gap.
  package struct Answer {
    /// What it is about.
    package var addresses: [ReachabilityAddress]
    /// The interfaces that it names.
    package var interfaces: [String]
    /// The owner of the packets.
    package var user: UInt32
    /// Whether it is another one than before the change.
    package var isChanged: Bool
    /// Whether packets leave.
    package var isReachable: Bool

    package init(
      about addresses: [ReachabilityAddress], over interfaces: [String], of user: UInt32, isChanged: Bool,
      isReachable: Bool
    ) {
      (self.addresses, self.interfaces, self.user) = (addresses, interfaces, user)
      (self.isChanged, self.isReachable) = (isChanged, isReachable)
    }
  }

  /// Whether it is that a link which is down may have a carrier or not.
  package var isAboutCarrier: Bool { reason == Self.unknownCarrier }

  static let unknownCarrier = "whether it has a carrier is known only when it is up"

  /// Whether an answer may depend on it.
  ///
  /// - Parameter risen: The links that the change has switched on.
  package func mayDecide(_ answer: Answer, risen: Set<String>) -> Bool {
    // The routes with a next hop that is missing are missing themselves.
    if exceptUser == answer.user || kind == .nextHop { return false }
    guard answer.isChanged || concernsUnchanged ?? !isAssumption else { return false }
    if let links {
      // A route over a link may be missing because of what is not known of it.
      return answer.interfaces.contains(where: links.contains)
        || !answer.isReachable && !links.isDisjoint(with: risen)
    }
    return prefix.map { answer.addresses.contains(where: $0.contains) } ?? true
  }
}

extension CopyGap {
  /// What follows where the loopback interface is switched off or on.
  package static let switchedLoopback: CopyGap = {
    var gap = CopyGap(
      kind: .link, name: "lo", reason: "which addresses it keeps is not known where it is switched off or on")
    gap.concernsUnchanged = false
    return gap
  }()

  /// What follows for a default route that a router has advertised where forwarding is switched on (`rt6_purge_dflt_routers`).
  package static let advertisedDefault = CopyGap(
    kind: .route, name: "to ::/0",
    reason: "a router has advertised it, and the kernel removes it where forwarding is switched on",
    prefix: ReachabilityAddress(octets: [UInt8](repeating: 0, count: 16)).flatMap { IPPrefix($0, length: 0) })

  init(_ kind: Kind, _ object: KernelObject, because reason: String) {
    self.init(kind: kind, name: "", reason: reason)
    switch kind {
    case .link: name = object.linkName ?? "with the index \(object.index)"
    case .address:
      name =
        (object.address(2) ?? object.address(1)).map { "\($0)/\(object.fixed[1])" } ?? "of an unknown family"
    case .rule:
      let priority: UInt32 = object.number(6) ?? 0
      name =
        "\(object.fixed[0] == AddressFamily.ipv4.rawValue ? "of IPv4" : "of IPv6") with the priority \(priority)"
    case .nextHop: name = "\(object.number(1, as: UInt32.self) ?? 0)"
    case .route:
      let destination = object.address(RouteAttribute.destination) ?? object.unspecifiedAddress
      prefix = destination.flatMap { IPPrefix($0, length: Int(object.fixed[1])) }
      name = "to " + (prefix?.description ?? "an unknown destination")
    case .setting: break
    }
  }
}

extension KernelObject {
  fileprivate func address(_ type: UInt16) -> ReachabilityAddress? {
    self[type].flatMap { ReachabilityAddress(octets: $0) }
  }

  fileprivate var unspecifiedAddress: ReachabilityAddress? {
    ReachabilityAddress(octets: Array(repeating: 0, count: fixed[0] == AddressFamily.ipv4.rawValue ? 4 : 16))
  }
}
