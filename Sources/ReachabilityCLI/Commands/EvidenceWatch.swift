import ReachabilityKit
import Synchronization

/// The tasks that follow evidence for `--evidence`; without the option there are none, and nothing is polled.
final class EvidenceWatch: Sendable {
  private let monitor: ReachabilityMonitor
  private let tasks = Mutex<[EvidenceWatch.Subject: Task<Void, Never>]>([:])

  enum Subject: Hashable {
    /// The target at a position of the command line, or the path.
    case target(Int, ReachabilityTarget)
    case interface(Int)
  }

  init(_ monitor: ReachabilityMonitor) {
    self.monitor = monitor
  }

  /// Follows these subjects and no others; the handler receives the current evidence first, then each change of meaning.
  func follow(_ subjects: Set<Subject>, _ handler: @escaping @Sendable (TrafficEvidence) -> Void) {
    tasks.withLock { tasks in
      for (subject, task) in tasks where !subjects.contains(subject) {
        task.cancel()
        tasks[subject] = nil
      }
      for subject in subjects where tasks[subject] == nil { tasks[subject] = start(subject, handler) }
    }
  }

  /// Follows one more subject.
  func add(_ subject: Subject, _ handler: @escaping @Sendable (TrafficEvidence) -> Void) {
    tasks.withLock { $0[subject] = start(subject, handler) }
  }

  private func start(
    _ subject: Subject, _ handler: @escaping @Sendable (TrafficEvidence) -> Void
  ) -> Task<Void, Never> {
    let updates =
      switch subject {
      case .target(_, let target): monitor.evidence(for: target, every: .seconds(1))
      case .interface(let index): monitor.evidence(on: .index(index), every: .seconds(1))
      }
    return Task {
      for await evidence in updates { handler(evidence) }
    }
  }
}
