import ClassicSupport
import ReachabilityKit
import Synchronization

/// A network that is another each time that it is asked.
final class RestlessSource: NetworkSource {
  private let statuses: [ReachabilityStatus]
  private let questions = Atomic(0)

  init(_ words: [String]) {
    statuses = words.map { ReachabilityStatus($0) }
  }

  /// How often it was asked.
  var count: Int { questions.load(ordering: .sequentiallyConsistent) }

  func evaluate(_ target: ReachabilityTarget) -> Evaluation {
    let count = questions.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
    return Evaluation(statuses[count % statuses.count])
  }

  func evaluatePath() -> PathEvaluation { .unknown(for: nil) }

  func watch(_ subjects: WatchedSubjects) {}

  func waitForChange(
    until deadline: SuspendingClock.Instant?, observing addresses: ObservedAddresses
  ) -> NetworkChange {
    NetworkChange()
  }

  func wake() {}
}
