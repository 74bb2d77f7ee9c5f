/// What a link is made of.
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

/// Which links lie below another, as far as they decide what it is made of.
package enum LinkFoundation: Hashable, Sendable {
  /// None: the link is what it is.
  case none
  /// The one link that it stands on, as a VLAN does.
  case lower
  /// The links that it joins, as a bridge does, or the one of them that is in use.
  case ports(active: Int32?)
}

extension LinkState {
  /// What the link is made of, with regard to what lies below it.
  package var character: LinkCharacter {
    get { LinkCharacter(interface.kind, isTunnel: interface.isTunnel, isTransient: isTransient) }
    set {
      interface.kind = newValue.kind
      interface.isTunnel = newValue.isTunnel
      isTransient = newValue.isTransient
    }
  }
}
