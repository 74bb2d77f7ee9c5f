import ReachabilityKit

/// The evidence on a path, and on each of its interfaces.
struct PathEvidence {
  var path: TrafficEvidence
  /// The evidence on each interface of the path, in their order.
  var interfaces: [TrafficEvidence]

  /// Reads the evidence once for all.
  init(
    _ path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements, _ monitor: ReachabilityMonitor
  ) {
    self.path = Self.target(of: path, requirements).map(monitor.evidence(for:)) ?? TrafficEvidence(.none)
    interfaces = path.interfaces.map { monitor.evidence(on: .index($0.interface.index)) }
  }

  /// The target whose packets take the path; `nil` if no interface meets the requirements.
  static func target(
    of path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements
  ) -> ReachabilityTarget? {
    if requirements == .none { return .defaultRoute }
    return path.interfaces.first.map {
      ReachabilityTarget(.defaultRoute, interface: .index($0.interface.index))
    }
  }

  func meansSame(as other: PathEvidence) -> Bool {
    path.meansSame(as: other.path)
      && interfaces.elementsEqual(other.interfaces) { $0.meansSame(as: $1) }
  }

  /// Whether the text of other evidence is the same, except for ages.
  func readsSame(as other: PathEvidence) -> Bool {
    path.readsSame(as: other.path)
      && interfaces.elementsEqual(other.interfaces) { $0.readsSame(as: $1) }
  }
}
