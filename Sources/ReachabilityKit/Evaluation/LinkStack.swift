/// Which links stand on which, and of which it is to be worked out anew what they are made of.
///
/// A change costs as much as there are links that it concerns, not as there are links.
struct LinkStack: Hashable, Sendable {
  /// The links that belong to a bridge, bond, team or VRF, by its index.
  private var ports: [Int32: Set<Int32>] = [:]
  /// The links that stand on another one, by its index.
  private var uppers: [Int32: Set<Int32>] = [:]
  /// The links that something changed for.
  private var due: Set<Int32> = []

  /// How high links are stacked at most; the kernel allows eight.
  private static var heightLimit: Int { 16 }

  /// The links that belong to another.
  func ports(of index: Int32) -> Set<Int32> { ports[index] ?? [] }

  /// Takes note of a link that came, changed or went.
  mutating func note(_ index: Int32, was old: LinkState?, is new: LinkState?) {
    Self.move(index, from: old?.master, to: new?.master, in: &ports)
    Self.move(index, from: old?.ground, to: new?.ground, in: &uppers)
    if let old, let new, old.isMade(like: new) { return }
    if let new, new.foundation != .none { due.insert(index) }
    if let master = old?.master { due.insert(master) }
    noteUppers(of: index, master: new?.master)
  }

  private mutating func noteUppers(of index: Int32, master: Int32?) {
    if let master { due.insert(master) }
    if let uppers = uppers[index] { due.formUnion(uppers) }
  }

  /// Works out what links are made of that something changed for, and what changes with that.
  ///
  /// - Parameter bridges: The bridges that have their first port or lost their last one are added here.
  /// - Returns: Whether there are such bridges, or any link is made of something else now.
  mutating func settle(_ links: inout [Int32: LinkState], bridges: inout Set<Int32>) -> Bool {
    var isChange = false
    // Messages of which some were lost can say that links stand on each other: at some height this ends.
    for _ in 0..<Self.heightLimit where !due.isEmpty {
      let level = due
      due = []
      for index in level {
        guard let link = links[index], link.foundation != .none else { continue }
        let lacksPorts = link.interface.linkType == "bridge" && ports(of: index).isEmpty
        if lacksPorts != link.lacksPorts {
          links[index]?.lacksPorts = lacksPorts
          bridges.insert(index)
          isChange = true
        }
        let character = derive(link, links) ?? link.ownCharacter
        guard character != link.character else { continue }
        links[index]?.character = character
        isChange = true
        noteUppers(of: index, master: link.master)
      }
    }
    due = []
    return isChange
  }

  private func derive(_ link: LinkState, _ links: [Int32: LinkState]) -> LinkCharacter? {
    switch link.foundation {
    case .none:
      return nil
    case .lower:
      guard let lower = link.lower.flatMap({ links[$0] }) else { return nil }
      // Nothing goes over what stands on the loopback interface.
      return lower.interface.kind == .loopback ? nil : lower.character
    case .ports(let active):
      if let port = active.flatMap({ links[$0] }), port.master == link.index { return port.character }
      var shared: LinkCharacter?
      for port in ports(of: link.index).compactMap({ links[$0] }) {
        // A virtual machine or a tunnel at a bridge says nothing of the way out.
        guard port.interface.kind != .other else { continue }
        guard shared == nil || shared?.kind == port.interface.kind else { return nil }
        shared = LinkCharacter(
          port.interface.kind, isTransient: port.isTransient && shared?.isTransient != false)
      }
      return shared
    }
  }

  private static func move(
    _ index: Int32, from old: Int32?, to new: Int32?, in table: inout [Int32: Set<Int32>]
  ) {
    guard old != new else { return }
    if let old {
      table[old]?.remove(index)
      if table[old]?.isEmpty == true { table[old] = nil }
    }
    if let new { table[new, default: []].insert(index) }
  }
}

extension LinkState {
  /// The index of the link that decides what this one is made of, if it is one.
  fileprivate var ground: Int32? { foundation == .lower ? lower : nil }

  /// Whether links above that one are made of the same if they stand on this one instead.
  fileprivate func isMade(like other: LinkState) -> Bool {
    ownCharacter == other.ownCharacter && foundation == other.foundation && lower == other.lower
      && master == other.master
  }
}
