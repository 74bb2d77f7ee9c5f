import ReachabilityKit

/// Decides when to verify again, and what is told; nothing else than that, so that time and network are somebody else's.
///
/// What takes time carries the number of the state of the network for which it was begun: what comes late counts no more.
struct FollowMachine {
  enum Input: Equatable {
    /// The path, first or changed.
    case path(ReachabilityPath)
    /// The way to an endpoint changed; what the path is then, of which there may be no news yet.
    case way(ReachabilityPath)
    /// The network did not change for as long as was asked for.
    case settled(Int)
    /// Verifying is done.
    case verified(ReachabilityVerification.Report, Int)
    /// It is time to verify once more.
    case due(Int)
  }

  enum Action: Equatable {
    case tell(ReachabilityVerification.VerifiedStatus)
    /// What was begun for an earlier network is of no use any more.
    case abandon
    case settle(Int)
    case verify(Int)
    /// Wait for as long as lies between two times.
    case rest(Int)
  }

  private let repeats: Bool
  private(set) var status: ReachabilityVerification.VerifiedStatus?
  private var network = 0

  init(repeats: Bool) { self.repeats = repeats }

  mutating func handle(_ input: Input) -> [Action] {
    switch input {
    case .path(let path):
      guard let known = status else {
        let first = ReachabilityVerification.VerifiedStatus(path: path)
        status = first
        return [.tell(first), .verify(network)]
      }
      return known.path == path ? [] : change { $0.path = path }
    case .way(let path):
      // Before the first path nothing has begun that could be out of date.
      return status == nil ? [] : change { $0.path = path }
    case .settled(let number):
      return number == network ? [.verify(number)] : []
    case .verified(let report, let number):
      guard number == network else { return [] }
      return tell {
        $0.report = report
        $0.isCurrent = true
      } + (repeats ? [.rest(number)] : [])
    case .due(let number):
      return number == network ? [.verify(number)] : []
    }
  }

  private mutating func change(_ body: (inout ReachabilityVerification.VerifiedStatus) -> Void) -> [Action] {
    network += 1
    return [.abandon]
      + tell {
        body(&$0)
        $0.isCurrent = false
      } + [.settle(network)]
  }

  /// Changes what is known, and tells it if that means something else than before.
  private mutating func tell(_ body: (inout ReachabilityVerification.VerifiedStatus) -> Void) -> [Action] {
    guard let before = status else { return [] }
    var after = before
    body(&after)
    status = after
    return before == after ? [] : [.tell(after)]
  }
}
