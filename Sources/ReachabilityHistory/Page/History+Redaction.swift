// SPDX-License-Identifier: Apache-2.0
extension History {
  /// The same report with pseudonyms in place of the names of machines, targets, endpoints and interfaces, and of addresses.
  ///
  /// The times, the reasons and the target `default` stay as they are.
  package var redacted: History {
    var machines = Pseudonyms()
    var names = Pseudonyms()
    var history = self
    for index in lanes.indices {
      let lane = lanes[index]
      history.lanes[index].machine = machines.pseudonym(of: lane.machine, "machine")
      switch lane.kind {
      case .target, .traffic:
        guard lane.name != "default" else { break }
        history.lanes[index].name = names.pseudonym(of: lane.name, "target")
      case .verification:
        history.lanes[index].name = names.pseudonym(of: lane.name, "endpoint")
      case .interface: history.lanes[index].name = names.pseudonym(of: lane.name, "interface")
      case .path, .family: break
      }
    }
    history.ambiguousMachines = ambiguousMachines.map { machines.pseudonym(of: $0, "machine") }
    for index in incidents.indices {
      history.incidents[index].cause.pieces = incidents[index].cause.pieces.map { piece in
        switch piece {
        case .words: piece
        case .interface(let name): .interface(names.pseudonym(of: name, "interface"))
        case .address(let name): .address(names.pseudonym(of: name, "address"))
        case .detail(let text): .detail(names.pseudonym(of: text, "detail"))
        }
      }
    }
    return history
  }
}

/// Names and addresses, and what stands in their place where others may read.
///
/// A name has the same pseudonym everywhere. Numbers follow the first appearance.
struct Pseudonyms {
  private var pseudonyms: [String: String] = [:]
  private var counts: [String: Int] = [:]

  /// Returns the pseudonym of a name, which is a new one at its first appearance.
  ///
  /// - Parameter kind: The first word of a new pseudonym.
  mutating func pseudonym(of name: String, _ kind: String) -> String {
    if let known = pseudonyms[name] { return known }
    let number = counts[kind, default: 0] + 1
    counts[kind] = number
    let pseudonym = "\(kind) \(number)"
    pseudonyms[name] = pseudonym
    return pseudonym
  }
}
