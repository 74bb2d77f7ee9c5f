/// Finds the entries whose destination, or source, lies in a prefix.
///
/// Two sorted arrays of addresses, in each of which a prefix is a range. The next search sorts all additions at once.
struct TargetIndex: Sendable {
  typealias EntryID = UInt64

  private var ipv4 = SortedPoints<UInt32, EntryID>()
  private var ipv6 = SortedPoints<UInt128, EntryID>()
  private var hasRemovals = false

  /// The number of addresses, each counted as often as it was added.
  var count: Int { ipv4.count + ipv6.count }

  /// All addresses, each at least once.
  var addresses: [IPAddress] {
    ipv4.keys.map { .v4(.init(rawValue: $0)) } + ipv6.keys.map { .v6(.init(rawValue: $0)) }
  }

  /// Returns whether addresses were removed since the last call.
  mutating func takeRemovals() -> Bool {
    defer { hasRemovals = false }
    return hasRemovals
  }

  /// Adds the addresses that decide a target's status.
  mutating func insert(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      switch address {
      case .v4(let address): ipv4.insert(address.rawValue, id)
      case .v6(let address): ipv6.insert(address.rawValue, id)
      }
    }
  }

  mutating func remove(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      hasRemovals = true
      switch address {
      case .v4(let address): ipv4.remove(address.rawValue, id)
      case .v6(let address): ipv6.remove(address.rawValue, id)
      }
    }
  }

  /// Appends the entries that a route for this prefix can touch, some perhaps twice; returns whether there are any.
  mutating func collect(_ prefix: IPPrefix, into ids: inout [EntryID]) -> Bool {
    switch (prefix.address, prefix.last) {
    case (.v4(let first), .v4(let last)): ipv4.collect(first.rawValue...last.rawValue, into: &ids)
    case (.v6(let first), .v6(let last)): ipv6.collect(first.rawValue...last.rawValue, into: &ids)
    default: false
    }
  }
}
