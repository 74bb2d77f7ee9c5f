// SPDX-License-Identifier: Apache-2.0
/// The result of a target's evaluation.
package struct Evaluation: Equatable, Sendable {
  package var status: ReachabilityStatus
  /// How long the result is valid at most without an announcement of a change: the lifetime of a route.
  package var lifetime: Duration?

  package init(_ status: ReachabilityStatus, lifetime: Duration? = nil) {
    self.status = status
    self.lifetime = lifetime
  }
}

extension ReachabilityStatus {
  /// The rank of one family for the default route: reachable, waiting, known to be broken, absent, unknown.
  var rank: Int {
    switch (state, reason) {
    case (.reachable, _): 4
    case (.unknown, _): 0
    case (_, .linkDormant): 3
    case (_, .noRoute): 1
    default: 2
    }
  }

  /// The rank among the addresses of a host: reachable, waiting for a connection, not reachable, unknown.
  var usefulness: Int {
    switch (state, flags.contains(.connectionRequired)) {
    case (.reachable, _): 3
    case (.unknown, _): 0
    case (.notReachable, true): 2
    case (.notReachable, false): 1
    }
  }

  /// Whether a route refuses the packets: no link that goes down leaves such a route behind for a moment.
  var isRefused: Bool {
    switch reason?.value {
    case .blackhole, .prohibited, .unreachableRoute: true
    default: false
    }
  }
}

extension ReachabilityAddress {
  /// Whether this is in `169.254.0.0/16` or `fe80::/10`, and so valid on its link only.
  package var isLinkLocal: Bool {
    switch self {
    case .v4(let address): address.rawValue >> 16 == 0xa9fe
    case .v6(let address): address.rawValue >> 118 == 0xfe80 >> 6
    }
  }

  /// Whether a socket that is bound to an interface cannot be bound to this address of another interface.
  var isOfLink: Bool { needsZone || (bitWidth == 128 && isLoopback) }

  /// Whether this is an IPv4 multicast address, or `255.255.255.255`.
  var isGroupOrBroadcast: Bool {
    guard case .v4(let address) = self else { return false }
    return isMulticast || address.rawValue == .max
  }

  /// Whether TCP connects to no such address, whatever the routes.
  var isForDatagramsOnly: Bool { self == .v4(.init(rawValue: .max)) || isMulticast }

  /// The address that a connection goes to: for the unspecified address, this machine.
  var connected: ReachabilityAddress {
    guard unmapped.isUnspecified else { return self }
    return unmapped.bitWidth == 32 ? "127.0.0.1" : "::1"
  }
}

/// The addresses that stand for the default route.
package enum DefaultRoute {
  /// Addresses that have no routes of their own, so that the matching route is the default route.
  ///
  /// The unspecified address cannot be queried: the kernel answers "local". The first address of each family also
  /// matches the half routes that VPNs install (`0.0.0.0/1`, `2000::/3`). The others are for machines that discard
  /// the first as a bogon.
  static let candidates: [[ReachabilityAddress]] = [
    ["0.0.0.1", "240.0.0.1", "192.88.99.1"],
    ["2000::", "100::1", "3000::1"],
  ]

  /// Every address whose route the status of the default route is read from.
  package static var addresses: [ReachabilityAddress] { candidates.flatMap(\.self) }

  /// The longest prefix that still represents the default route.
  static let longestPrefix: UInt8 = 3
}

/// Recent statuses, so that the many targets with equal statuses share storage.
///
/// The benchmark row `memory` shows what it saves for each target.
struct StatusPool: Sendable {
  private var recent: [ReachabilityStatus] = []
  private var oldest = 0

  private static var limit: Int { 8 }

  /// Returns the recent status that is equal to a status, or the status itself.
  mutating func shared(_ status: ReachabilityStatus) -> ReachabilityStatus {
    // Most come from the pool already.
    for known in recent where known.isIdentical(to: status) { return known }
    // Each host has its own addresses.
    guard status.addresses.isEmpty else { return status }
    if let known = recent.first(where: { $0 == status }) { return known }
    if recent.count < Self.limit {
      recent.append(status)
    } else {
      recent[oldest] = status
      oldest = (oldest + 1) % Self.limit
    }
    return status
  }
}
