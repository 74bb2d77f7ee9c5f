// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
/// The links that stand on other links, and those whose medium is to be derived again.
///
/// The cost of a change depends on the number of affected links, not on the number of all links.
struct LinkStack: Equatable, Sendable {
  /// The members of each bridge, bond, team or VRF, by its index.
  private var ports: [Int32: Set<Int32>] = [:]
  /// The links that stand on another link, by its index.
  private var uppers: [Int32: Set<Int32>] = [:]
  /// The links that are affected by a change.
  private var due: Set<Int32> = []

  /// The limit for stacked links; the kernel allows eight.
  static var heightLimit: Int { 16 }

  /// Returns the members of a link.
  func ports(of index: Int32) -> Set<Int32> { ports[index] ?? [] }

  /// Records a link that appeared, changed or disappeared.
  mutating func update(_ index: Int32, was old: LinkState?, is new: LinkState?) {
    Self.move(index, from: old?.master, to: new?.master, in: &ports)
    Self.move(index, from: old?.ground, to: new?.ground, in: &uppers)
    if let old, let new, old.isMade(like: new) { return }
    if let new, new.foundation != .none { due.insert(index) }
    if let master = old?.master { due.insert(master) }
    recordUppers(of: index, master: new?.master)
  }

  private mutating func recordUppers(of index: Int32, master: Int32?) {
    if let master { due.insert(master) }
    if let uppers = uppers[index] { due.formUnion(uppers) }
  }

  /// Derives the medium of affected links again, and of the links above them.
  ///
  /// - Parameter bridges: Receives the bridges that got their first port or lost their last one.
  /// - Returns: Whether there are such bridges, or the medium of any link changed.
  mutating func settle(_ links: inout [Int32: LinkState], bridges: inout Set<Int32>) -> Bool {
    var isChange = false
    // After a loss of messages, links may seem to stand on each other: the limit ends such a cycle.
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
        recordUppers(of: index, master: link.master)
      }
    }
    due = []
    return isChange
  }

  private func derive(_ link: LinkState, _ links: [Int32: LinkState]) -> LinkKind? {
    switch link.foundation {
    case .none:
      return nil
    case .lower:
      guard let lower = link.lower.flatMap({ links[$0] }) else { return nil }
      // Links on the loopback interface carry no traffic.
      return lower.interface.kind == .loopback ? nil : lower.character
    case .ports(let active):
      if let port = active.flatMap({ links[$0] }), port.master == link.index { return port.character }
      var shared: LinkKind?
      for port in ports(of: link.index).compactMap({ links[$0] }) {
        // A virtual machine or a tunnel on a bridge does not determine the medium of outgoing packets.
        guard port.interface.kind != .other else { continue }
        guard shared == nil || shared?.kind == port.interface.kind else { return nil }
        shared = LinkKind(
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
  /// The index of the link that determines the medium of this one, if there is one.
  fileprivate var ground: Int32? { foundation == .lower ? lower : nil }

  /// Whether links above have the same medium if they stand on this link instead of another.
  fileprivate func isMade(like other: LinkState) -> Bool {
    ownCharacter == other.ownCharacter && foundation == other.foundation && lower == other.lower
      && master == other.master
  }
}
#endif
