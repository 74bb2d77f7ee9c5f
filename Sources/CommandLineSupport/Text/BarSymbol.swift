// SPDX-License-Identifier: Apache-2.0
/// How a bar shows a state, in `watch` and in `report`: no two states differ in colour alone.
package enum BarSymbol: Sendable {
  case reachable
  /// Reachable for a part of the time; ``character`` is the one for about half of it.
  case partly
  case notReachable
  case unknown
  case notMonitored

  /// A character that a text console has, too.
  package var character: Character {
    switch self {
    case .reachable: "█"
    case .partly: "▄"
    case .notReachable: "x"
    case .unknown: "?"
    case .notMonitored: "░"
    }
  }

  package var colour: TerminalColour? {
    switch self {
    case .reachable: .green
    case .notReachable: .red
    case .partly, .unknown: .yellow
    case .notMonitored: nil
    }
  }
}
