// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import LiveSupport

/// A running scenario.
final class Player {
  let scenario: Scenario
  let generation: Int
  let begin: Int64
  var endpoints: [UInt64: Endpoint] = [:]
  /// When the cut happened and ended.
  var cut: Int64?
  var healed: Int64?
  /// When the default routes moved.
  var failover: Int64?
  /// When the client's machine began to drop what it sends.
  var droppedHere: Int64?
  /// When the delays of some peers changed.
  var jumps: [Int64] = []
  var random: SeededGenerator

  /// Whether packets are dropped at this moment, of a cut or a black hole.
  var isCut: Bool { cut != nil && healed == nil }

  init(_ scenario: Scenario, generation: Int) {
    self.scenario = scenario
    self.generation = generation
    begin = traffic_now()
    random = SeededGenerator(seed: scenario.seed)
  }
}
