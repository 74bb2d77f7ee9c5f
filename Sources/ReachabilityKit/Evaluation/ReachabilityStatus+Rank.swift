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
