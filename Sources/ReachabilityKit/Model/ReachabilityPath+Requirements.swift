extension ReachabilityPath {
  /// The kinds of interface that a path may use.
  ///
  /// Without requirements, the path is that of packets for which the kernel chooses the interface. With requirements,
  /// it is that of packets bound to the first remaining interface: a dead interface that the kernel prefers does not
  /// matter while another one works. The loopback interface is used only if it is required.
  public struct Requirements: Hashable, Sendable {
    /// The only kind that may be used, or `nil` for any.
    public var requiredKind: ReachabilityInterface.Kind?
    /// The kinds that may not be used.
    public var prohibitedKinds: Set<ReachabilityInterface.Kind>

    /// Creates requirements.
    public init(
      requiredKind: ReachabilityInterface.Kind? = nil, prohibitedKinds: Set<ReachabilityInterface.Kind> = []
    ) {
      self.requiredKind = requiredKind
      self.prohibitedKinds = prohibitedKinds
    }

    /// Requirements that allow any interface but the loopback interface.
    public static var none: Requirements { Requirements() }

    /// Returns requirements that allow only interfaces of one kind.
    public static func requiring(_ kind: ReachabilityInterface.Kind) -> Requirements {
      Requirements(requiredKind: kind)
    }

    /// Returns requirements that allow all interfaces but those of some kinds.
    public static func prohibiting(_ kinds: ReachabilityInterface.Kind...) -> Requirements {
      Requirements(prohibitedKinds: Set(kinds))
    }

    /// Returns whether interfaces of a kind may be used.
    public func allows(_ kind: ReachabilityInterface.Kind) -> Bool {
      if prohibitedKinds.contains(kind) { return false }
      return requiredKind.map { $0 == kind } ?? (kind != .loopback)
    }

    /// Whether the kernel's choice of an interface always satisfies the requirements.
    var allowKernelChoice: Bool { requiredKind == nil && prohibitedKinds.isSubset(of: [.loopback]) }
  }
}
