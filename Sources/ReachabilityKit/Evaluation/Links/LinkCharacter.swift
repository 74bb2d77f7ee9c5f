/// The medium of a link.
package struct LinkCharacter: Hashable, Sendable {
  package var kind: ReachabilityInterface.Kind
  package var isTunnel: Bool
  /// Whether the link is dialled or tunnelled.
  package var isTransient: Bool

  package init(_ kind: ReachabilityInterface.Kind, isTunnel: Bool = false, isTransient: Bool = false) {
    self.kind = kind
    self.isTunnel = isTunnel
    self.isTransient = isTransient
  }
}
