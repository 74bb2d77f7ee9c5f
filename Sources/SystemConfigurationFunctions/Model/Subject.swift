import ReachabilityKit

/// The subject of a target, in the engine's terms.
struct Subject: Sendable {
  enum Kind: Sendable {
    /// The default path or an address, perhaps with a local address. Its status is complete without a lookup.
    case address(ReachabilityTarget)
    /// A host, whose name is resolved while the target is scheduled.
    case host(ReachabilityTarget)
    /// A name that no resolver can know, such as a URL.
    case impossibleName
  }

  let kind: Kind
  /// The subject in the words of Apple's description.
  let label: String

  init(_ kind: Kind, label: String) {
    self.kind = kind
    self.label = label
  }

  /// The target whose status is known without a lookup: the subject's own, or else the default path.
  var unscheduledTarget: ReachabilityTarget {
    switch kind {
    case .address(let target): target
    case .host(let target) where target.isLocalHost: target
    case .host, .impossibleName: .defaultRoute
    }
  }

  /// Whether ``unscheduledTarget`` is the subject's own target.
  var isKnownUnscheduled: Bool {
    switch kind {
    case .address: true
    case .host(let target): target.isLocalHost
    case .impossibleName: false
    }
  }

  /// Returns the subject's reading for a status of ``unscheduledTarget``.
  func unscheduledReading(_ status: ReachabilityStatus) -> Reading {
    isKnownUnscheduled ? Reading(of: status, about: self) : Reading(optimistic: status)
  }

  /// Whether this is an IPv4 link-local address, which is on every link (RFC 3927).
  var isIPv4LinkLocal: Bool {
    guard case .address(let target) = kind, case .address(.v4(let address)) = target.destination else {
      return false
    }
    return address.rawValue >> 16 == 0xa9fe
  }
}
