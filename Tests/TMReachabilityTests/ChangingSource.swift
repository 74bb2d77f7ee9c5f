// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import POSIX
import ReachabilityKit
import Synchronization

/// A network with another status for each query.
final class ChangingSource: NetworkSource {
  private let statuses: [ReachabilityStatus]
  private let queries = Atomic(0)

  init(_ words: [String]) {
    statuses = words.map { ReachabilityStatus($0) }
  }

  /// The number of queries.
  var count: Int { queries.load(ordering: .sequentiallyConsistent) }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    let count = queries.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
    return Evaluation(statuses[count % statuses.count])
  }

  func evaluatePath() -> PathEvaluation { .unknown(for: nil) }

  func watch(_ subjects: Subscriptions) {}

  func waitForChange(until deadline: Moment?) -> NetworkChange {
    .none
  }

  func wake() {}
}
