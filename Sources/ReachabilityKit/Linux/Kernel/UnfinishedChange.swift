// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import InternetProtocol
import Netlink

/// The announced changes that the kernel may not have made yet, or whose further messages may be on their way.
///
/// The kernel announces a new IPv4 route after it added it, and a deleted one just before it removes it. So where only
/// routes changed, no lookup needs to wait for the kernel, unless it finds a route that was announced as deleted.
struct UnfinishedChange: Sendable {
  /// Whether the kernel may be in the middle of a change.
  private(set) var isInProgress = false
  /// IPv4 routes that were announced as deleted.
  private var deleted: [DeletedRoute] = []

  /// With more deleted routes than this, waiting for the kernel once is less work than comparing answers.
  private static var limit: Int { 16 }

  /// Records an announcement that concerns no route and no neighbour.
  mutating func record(_ event: borrowing RouteEvent) {
    switch copy event {
    case .other, .routerOption: break
    default: isInProgress = true
    }
  }

  /// Records that announcements were lost, or a next hop: a link that goes down removes its neighbour entries first.
  mutating func recordLoss() { isInProgress = true }

  /// Records the announcement of a route.
  mutating func record(_ route: borrowing RouteMessage, isRemoved: Bool) {
    if !route.isIndependent || (isRemoved && deleted.count == Self.limit) {
      isInProgress = true
    } else if isRemoved {
      deleted.add(DeletedRoute(route))
    }
  }

  var hasDeletions: Bool { !deleted.isEmpty }

  /// Whether an answer may come from a route that was announced as deleted.
  func mayContain(_ answer: RouteAnswer) -> Bool {
    deleted.contains { $0.mayDecide(answer) }
  }
}

extension RouteMessage {
  /// Whether this route alone was changed, by a program, under a lock that can be waited for.
  ///
  /// The kernel's own IPv4 routes change with addresses. Several IPv6 routes may go with their link before its message.
  fileprivate var isIndependent: Bool { family == .ipv4 && origin != Self.kernelOrigin }

  /// The kernel constant is `RTPROT_KERNEL`.
  private static var kernelOrigin: UInt8 { 2 }
}

/// A route that was announced as deleted, as far as answers show it.
private struct DeletedRoute: Sendable {
  private let kind: RouteKind
  private let table: UInt32
  private let interface: Int32?
  private let gateway: ReachabilityAddress?
  /// Whether it has several next hops, or those of a next-hop object.
  private let hasAlternatives: Bool

  init(_ route: borrowing RouteMessage) {
    (kind, table, interface, gateway) = (route.kind, route.table, route.interface, route.gateway)
    hasAlternatives = !route.nextHops.isEmpty || route.nextHopID != nil
  }

  func mayDecide(_ answer: RouteAnswer) -> Bool {
    // This kind makes the lookup go on in another table, whose route then decides.
    if kind == .throw { return true }
    guard case .success(let reply) = answer else {
      return !kind.sends && answer == .failure(RouteRefusal(kind))
    }
    guard table == reply.table, kind == reply.kind else { return false }
    // An answer names one next hop of several, and that of a next-hop object.
    return hasAlternatives || interface == reply.interface && gateway == reply.gateway
  }
}
#endif
