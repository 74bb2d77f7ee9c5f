import ReachabilityKit
import Synchronization

/// A target whose reachability is asked for and followed: the default path, an address, an address pair or a name.
///
/// Made by ``SCNetworkReachabilityCreateWithAddress(_:_:)`` and its sisters; all functions may be called from any
/// thread. Two targets are never equal, even if they are about the same.
///
/// The Apple symbol is `SCNetworkReachabilityRef`.
public final class SCNetworkReachability {
  /// How it is scheduled.
  enum Schedule: Sendable {
    case queue(Subscription)
    /// One source for all run loops. A place stands here as often as it was scheduled.
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
  /// Whose network the target is about, if not this machine's.
  private let ownMonitor: ReachabilityMonitor?
  let state: Mutex<State>

  init(_ subject: Subject) {
    self.subject = subject
    ownMonitor = Self.monitor
    state = Mutex(State(machine: CallbackMachine(subject)))
  }

  /// The monitor that targets made in this task are about instead of the shared one: a simulated network's, or another
  /// network namespace's.
  @TaskLocal package static var monitor: ReachabilityMonitor?

  /// The monitor that is asked, or `nil` if the kernel can't be asked.
  func currentMonitor() -> ReachabilityMonitor? {
    ownMonitor ?? (try? ReachabilityMonitor.shared)
  }
}

/// A target that other threads hold.
// Safe to share: all that changes in a target is in its Mutex. The class itself isn't `Sendable` because Apple's is not.
struct SharedTarget: @unchecked Sendable {
  let target: SCNetworkReachability

  init(_ target: SCNetworkReachability) {
    self.target = target
  }
}
