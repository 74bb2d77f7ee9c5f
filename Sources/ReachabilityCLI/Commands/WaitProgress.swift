import CommandLineSupport
import InternetProtocol
import ReachabilityKit
import Synchronization

/// The targets of `wait` with their last statuses, and what the service manager shows of them.
final class WaitProgress: Sendable {
  private let invocation: Invocation
  private let manager: ServiceManager?
  private let statuses: Mutex<[ReachabilityStatus?]>
  /// The targets that were as requested when the wait could last end.
  private let reached = Mutex<[Int]>([])

  init(_ invocation: Invocation, _ manager: ServiceManager?) {
    self.invocation = invocation
    self.manager = manager
    statuses = Mutex(Array(repeating: nil, count: invocation.targets.count))
  }

  /// Notes a status; returns whether the targets are as requested.
  func note(_ status: ReachabilityStatus, at position: Int) -> Bool {
    let (isDone, isIncomplete) = statuses.withLock { statuses in
      statuses[position] = status
      let wanted = statuses.indices.filter { isWanted(statuses[$0]) }
      let isDone = invocation.needsOnlyOne ? !wanted.isEmpty : wanted.count == statuses.count
      if isDone { reached.withLock { $0 = wanted } }
      return (isDone, statuses.contains(nil))
    }
    if let manager, !isIncomplete, !(isDone && invocation.endpoints.isEmpty) {
      manager.show("waiting for \(isDone ? endpoints : summary)".escapedForTerminal)
    }
    return isDone
  }

  func isWanted(_ status: ReachabilityStatus?) -> Bool {
    guard let status else { return false }
    guard invocation.isWaitingForReachable else { return status.state == .notReachable }
    return status.isReachable && !status.endsAtGateway
  }

  /// What is missing: the status, or why a reachable target is not usable yet.
  func text(of status: ReachabilityStatus?) -> String {
    guard let status else { return "not known yet" }
    let isUnusable = invocation.isWaitingForReachable && status.endsAtGateway
    return isUnusable
      ? "not usable: routers do not forward packets from a link-local address" : status.description
  }

  /// The targets that are not as requested.
  var missing: [(target: Invocation.NamedTarget, status: ReachabilityStatus?)] {
    let statuses = statuses.withLock { $0 }
    if invocation.needsOnlyOne, statuses.contains(where: isWanted) { return [] }
    return zip(invocation.targets, statuses).filter { !isWanted($0.1) }.map { ($0, $1) }
  }

  /// Tells the service manager that the wait is over.
  func reportEnd() {
    let state = invocation.isWaitingForReachable ? "reachable" : "unreachable"
    // With --any, the others may be in any state.
    let targets = reached.withLock { $0 }.map { invocation.targets[$0].text }.joined(separator: ", ")
    manager?.reportReady("\(state): \(targets)".escapedForTerminal)
  }

  private var endpoints: String { invocation.endpoints.map(\.withoutSecrets).joined(separator: ", ") }

  private var summary: String {
    (invocation.needsOnlyOne && invocation.targets.count > 1 ? "one of " : "")
      + missing.map { "\($0.target.text): \(text(of: $0.status))" }.joined(separator: "; ")
  }
}
