// SPDX-License-Identifier: Apache-2.0
import Foundation
import SearchSupport
import Synchronization

extension Trial {
  /// Runs all trials, several at once, and prints a line about each that went wrong.
  static func all(of competitors: [Competitor], in scenarios: [Scenario], jobs: Int) -> [Trial] {
    scenarios.flatMap { scenario in competitors.map { (scenario, $0) } }.concurrentMap(jobs: jobs) {
      scenario, competitor in
      let trial = Trial(competitor, scenario)
      for fault in trial.failure.map({ ["not measured: \($0)"] }) ?? trial.faults {
        say("\(scenario.name): \(competitor.name): \(fault)")
      }
      return trial
    }
  }
}

extension Array where Element: Sendable {
  /// Returns what a closure makes of each element, in their order; several of them run at once, on their own threads.
  func concurrentMap<Value: Sendable>(jobs: Int, _ body: @escaping @Sendable (Element) -> Value) -> [Value] {
    let state = Mutex<(next: Int, values: [Int: Value])>((0, [:]))
    let ended = DispatchSemaphore(value: 0)
    // Trials mostly wait, so there may be more of them than processors.
    for _ in 0..<jobs {
      Thread.detachNewThread {
        while let position = state.withLock({ state in
          state.next += 1
          return state.next <= count ? state.next - 1 : nil
        }) {
          let value = body(self[position])
          let number = state.withLock { state in
            state.values[position] = value
            return state.values.count
          }
          if number % 50 == 0 { say("\(number) of \(count) trials") }
        }
        ended.signal()
      }
    }
    for _ in 0..<jobs { ended.wait() }
    return state.withLock { state in indices.compactMap { state.values[$0] } }
  }
}
