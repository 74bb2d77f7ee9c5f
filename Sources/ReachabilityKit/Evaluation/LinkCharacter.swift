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

/// The links below another link that determine its medium.
package enum LinkFoundation: Hashable, Sendable {
  /// None: the medium is its own.
  case none
  /// The one link below it, as for a VLAN.
  case lower
  /// The links that it joins, as for a bridge, or the active one of them.
  case ports(active: Int32?)
}

extension LinkState {
  /// The medium of the link, with regard to the links below it.
  package var character: LinkCharacter {
    get { LinkCharacter(interface.kind, isTunnel: interface.isTunnel, isTransient: isTransient) }
    set {
      interface.kind = newValue.kind
      interface.isTunnel = newValue.isTunnel
      isTransient = newValue.isTransient
    }
  }
}
