extension ReachabilityPath {
  /// Which kinds of interface a path may use.
  ///
  /// Without any, the path is that of packets which the kernel sends as it likes. With some, it is that of packets
  /// which are bound to the first interface that is left, so a dead interface that the kernel prefers does not matter
  /// as long as another will do. The loopback interface is never used unless it is required.
  public struct Requirements: Hashable, Sendable {
    /// The only kind that may be used, or `nil` for any.
    public var requiredKind: ReachabilityInterface.Kind?
    /// The kinds that may not be used.
    public var prohibitedKinds: Set<ReachabilityInterface.Kind>

    /// Makes requirements.
    public init(
      requiredKind: ReachabilityInterface.Kind? = nil, prohibitedKinds: Set<ReachabilityInterface.Kind> = []
    ) {
      self.requiredKind = requiredKind
      self.prohibitedKinds = prohibitedKinds
    }

    /// Any interface but the loopback interface.
    public static var none: Requirements { Requirements() }

    /// Only interfaces of one kind.
    public static func requiring(_ kind: ReachabilityInterface.Kind) -> Requirements {
      Requirements(requiredKind: kind)
    }

    /// All interfaces but those of some kinds.
    public static func prohibiting(_ kinds: ReachabilityInterface.Kind...) -> Requirements {
      Requirements(prohibitedKinds: Set(kinds))
    }

    /// Whether interfaces of a kind may be used.
    public func allows(_ kind: ReachabilityInterface.Kind) -> Bool {
      if prohibitedKinds.contains(kind) { return false }
      return requiredKind.map { $0 == kind } ?? (kind != .loopback)
    }

    /// Whether the kernel's own choice is as good as any.
    var leaveTheChoice: Bool { requiredKind == nil && prohibitedKinds.isSubset(of: [.loopback]) }
  }
}
