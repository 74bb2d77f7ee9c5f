// SPDX-License-Identifier: Apache-2.0
import Foundation
import SearchSupport
import Synchronization

extension Trial {
  /// Runs all trials, several at once, and prints a line about each that went wrong.
  static func all(of competitors: [Competitor], in scenarios: [Scenario], jobs: Int) -> [Trial] {
    let pairs = scenarios.flatMap { scenario in competitors.map { (scenario, $0) } }
    let state = Mutex<(next: Int, trials: [Int: Trial])>((0, [:]))
    let ended = DispatchSemaphore(value: 0)
    // Trials mostly wait, so there may be more of them than processors.
    for _ in 0..<jobs {
      Thread.detachNewThread {
        while let position = state.withLock({ state in
          state.next += 1
          return state.next <= pairs.count ? state.next - 1 : nil
        }) {
          let (scenario, competitor) = pairs[position]
          let trial = Trial(competitor, scenario)
          let count = state.withLock { state in
            state.trials[position] = trial
            return state.trials.count
          }
          for fault in trial.failure.map({ ["not measured: \($0)"] }) ?? trial.faults {
            say("\(scenario.name): \(competitor.name): \(fault)")
          }
          if count % 50 == 0 { say("\(count) of \(pairs.count) trials") }
        }
        ended.signal()
      }
    }
    for _ in 0..<jobs { ended.wait() }
    return state.withLock { state in pairs.indices.compactMap { state.trials[$0] } }
  }
}
