/// Finds the entries whose destination, or source, lies in a prefix.
///
/// Two sorted arrays of addresses: a prefix is a range of each. Additions are sorted in when the next search needs
/// them, so a thousand additions cost one sort.
struct TargetIndex: Sendable {
  typealias EntryID = UInt64

  private var ipv4 = SortedPoints<UInt32>()
  private var ipv6 = SortedPoints<UInt128>()
  /// Whether addresses came, or went, since ``noteAddresses()``.
  private(set) var hasGrown = false
  private(set) var hasShrunk = false

  /// How many addresses there are, each as often as it was put in.
  var count: Int { ipv4.count + ipv6.count }

  /// All addresses, each at least once.
  var addresses: [IPAddress] {
    ipv4.keys.map { .v4(.init(rawValue: $0)) } + ipv6.keys.map { .v6(.init(rawValue: $0)) }
  }

  /// Begins anew to note which come and go.
  mutating func noteAddresses() {
    hasGrown = false
    hasShrunk = false
  }

  /// Adds the addresses that a target's status is read from.
  mutating func insert(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      hasGrown = true
      switch address {
      case .v4(let address): ipv4.insert(address.rawValue, id)
      case .v6(let address): ipv6.insert(address.rawValue, id)
      }
    }
  }

  /// Takes a target's addresses out.
  mutating func remove(_ target: ReachabilityTarget, _ id: EntryID) {
    for address in target.routedAddresses {
      hasShrunk = true
      switch address {
      case .v4(let address): ipv4.remove(address.rawValue, id)
      case .v6(let address): ipv6.remove(address.rawValue, id)
      }
    }
  }

  /// Collects the entries that a route for this prefix can touch; returns whether there are any.
  mutating func collect(_ prefix: IPPrefix, into ids: inout Set<EntryID>) -> Bool {
    switch (prefix.address, prefix.last) {
    case (.v4(let first), .v4(let last)): ipv4.collect(first.rawValue...last.rawValue, into: &ids)
    case (.v6(let first), .v6(let last)): ipv6.collect(first.rawValue...last.rawValue, into: &ids)
    default: false
    }
  }
}

extension ReachabilityTarget {
  /// The addresses whose routes decide the status.
  fileprivate var routedAddresses: [IPAddress] {
    let destinations: [IPAddress] =
      switch destination {
      case .address(let address): [address]
      case .defaultRoute: Evaluator.defaultRouteAddresses
      // Those of its name are put in when they are known, each as a target of its own.
      case .host: []
      }
    return destinations + (source.map { [$0] } ?? [])
  }
}

/// Numbers with the entries they belong to, sorted when they are searched.
private struct SortedPoints<Key: FixedWidthInteger & Sendable>: Sendable {
  private var points: [(key: Key, id: TargetIndex.EntryID)] = []
  private var isSorted = true

  var count: Int { points.count }
  var keys: [Key] { points.map(\.key) }

  mutating func insert(_ key: Key, _ id: TargetIndex.EntryID) {
    points.reserveOneMore()
    points.append((key, id))
    isSorted = false
  }

  mutating func remove(_ key: Key, _ id: TargetIndex.EntryID) {
    sort()
    var position = firstPosition(notBelow: key)
    while position < points.count, points[position].key == key {
      if points[position].id == id {
        points.remove(at: position)
        return
      }
      position += 1
    }
  }

  mutating func collect(_ range: ClosedRange<Key>, into ids: inout Set<TargetIndex.EntryID>) -> Bool {
    sort()
    let start = firstPosition(notBelow: range.lowerBound)
    var position = start
    while position < points.count, points[position].key <= range.upperBound {
      ids.insert(points[position].id)
      position += 1
    }
    return position > start
  }

  private mutating func sort() {
    guard !isSorted else { return }
    points.sort { $0.key < $1.key }
    isSorted = true
  }

  private func firstPosition(notBelow key: Key) -> Int {
    var (low, high) = (0, points.count)
    while low < high {
      let middle = (low + high) / 2
      if points[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }
}

extension Array {
  /// Makes room for one more, in smaller steps than an array does by itself, which leaves up to half of it empty.
  mutating func reserveOneMore() {
    if count == capacity { reserveCapacity(count + Swift.max(8, count / 4)) }
  }
}
