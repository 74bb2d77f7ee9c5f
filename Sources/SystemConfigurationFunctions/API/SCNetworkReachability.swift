import ReachabilityKit
import Synchronization

/// A target of reachability queries and observations: the default path, an address, an address pair or a name.
///
/// ``SCNetworkReachabilityCreateWithAddress(_:_:)`` and the other two functions of this kind create targets. All
/// functions may be called from any thread. Two targets are never equal, even if they have the same subject.
///
/// The Apple symbol is `SCNetworkReachabilityRef`.
public final class SCNetworkReachability {
  /// The place where the callback is scheduled.
  enum Schedule: Sendable {
    case queue(Subscription)
    /// One source for all run loops. The list has each place as often as it was scheduled.
    case runLoops(RunLoopSource, [RunLoopSource.Place], Subscription)
  }

  struct State: Sendable {
    var machine: CallbackMachine
    var callback: Callback?
    var schedule: Schedule?
    /// Whether a run loop's callback is due.
    var isPending = false
  }

  let subject: Subject
  /// The monitor of the target's network, `nil` for the shared one.
  private let ownMonitor: ReachabilityMonitor?
  let state: Mutex<State>

  init(_ subject: Subject) {
    self.subject = subject
    ownMonitor = ReachabilityMonitor.substitute
    state = Mutex(State(machine: CallbackMachine(subject)))
  }

  /// Returns the target's monitor, or `nil` if the kernel cannot be queried.
  func currentMonitor() -> ReachabilityMonitor? {
    ownMonitor ?? (try? ReachabilityMonitor.shared)
  }
}
