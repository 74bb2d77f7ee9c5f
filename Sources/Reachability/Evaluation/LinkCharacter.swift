/// What a link is made of.
package struct LinkCharacter: Hashable, Sendable {
  package var kind: NetworkInterface.Kind
  package var isTunnel: Bool
  /// Whether the link is dialled or tunnelled.
  package var isTransient: Bool

  package init(_ kind: NetworkInterface.Kind, isTunnel: Bool = false, isTransient: Bool = false) {
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

/// The links of a network, and what each is made of in the end.
struct LinkStack {
  private let links: [Int32: LinkState]
  private var ports: [Int32: [Int32]] = [:]
  private var found: [Int32: LinkCharacter] = [:]

  /// How high links are stacked at most; the kernel allows eight.
  private static var depthLimit: Int { 16 }

  init(_ links: [Int32: LinkState]) {
    self.links = links
    for (index, link) in links {
      if let master = link.master { ports[master, default: []].append(index) }
    }
  }

  mutating func character(of link: LinkState) -> LinkCharacter {
    character(of: link, depth: 0)
  }

  private mutating func character(of link: LinkState, depth: Int) -> LinkCharacter {
    guard link.foundation != .none, depth < Self.depthLimit else { return link.ownCharacter }
    if let found = found[link.index] { return found }
    // Messages of which some were lost can say that links stand on each other: who comes round finds this.
    found[link.index] = link.ownCharacter
    let character = derive(link, depth: depth) ?? link.ownCharacter
    found[link.index] = character
    return character
  }

  private mutating func derive(_ link: LinkState, depth: Int) -> LinkCharacter? {
    switch link.foundation {
    case .none:
      return nil
    case .lower:
      guard let lower = link.lower.flatMap({ links[$0] }) else { return nil }
      let character = character(of: lower, depth: depth + 1)
      // Nothing goes over what stands on the loopback interface.
      return character.kind == .loopback ? nil : character
    case .ports(let active):
      if let port = active.flatMap({ links[$0] }) { return character(of: port, depth: depth + 1) }
      var shared: LinkCharacter?
      for port in ports[link.index, default: []].compactMap({ links[$0] }) {
        let character = character(of: port, depth: depth + 1)
        // A virtual machine or a tunnel at a bridge says nothing of the way out.
        guard character.kind != .other else { continue }
        guard shared == nil || shared?.kind == character.kind else { return nil }
        shared = LinkCharacter(
          character.kind, isTransient: character.isTransient && shared?.isTransient != false)
      }
      return shared
    }
  }
}
