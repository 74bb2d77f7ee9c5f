// SPDX-License-Identifier: Apache-2.0
import ReachabilityKit

/// Observes the network, and verifies when its state machine requires it.
struct Follower: Sendable {
  var verification: ReachabilityVerification
  var monitor: ReachabilityMonitor
  var transport: any VerificationTransport
  /// The time from the end of one verification to the next; `nil` to verify again only after a change.
  var pause: Duration?
  /// The time without changes of the network before the next verification.
  var settling: Duration

  /// Runs until the task is cancelled.
  func run(delivering deliver: @Sendable (ReachabilityVerification.VerifiedStatus) -> Void) async {
    let (inputs, continuation) = AsyncStream.makeStream(of: FollowMachine.Input.self)
    await withDiscardingTaskGroup { group in
      group.addTask { for await path in monitor.paths() { continuation.yield(.path(path)) } }
      for target in Set(verification.endpoints.compactMap(\.target)) {
        group.addTask { await observe(target) { continuation.yield(.endpointChange(monitor.path)) } }
      }
      var machine = FollowMachine(repeats: pause != nil)
      var work: Task<Void, Never>?
      for await input in inputs {
        for action in machine.handle(input) {
          switch action {
          case .deliver(let status): deliver(status)
          case .cancel: work?.cancel()
          case .settle(let number): work = schedule(after: settling) { continuation.yield(.settled(number)) }
          case .pause(let number): work = schedule(after: pause ?? .zero) { continuation.yield(.due(number)) }
          case .verify(let number):
            let path = machine.status?.path
            work = Task {
              let run = VerificationRun(verification, on: path, over: transport)
              guard let report = try? await run(reporting: { _ in }) else { return }
              continuation.yield(.verified(report, number))
            }
          }
        }
      }
      work?.cancel()
      group.cancelAll()
    }
  }

  private func schedule(after duration: Duration, _ body: @escaping @Sendable () -> Void) -> Task<Void, Never>
  {
    Task {
      if (try? await monitor.clock.sleep(for: duration)) != nil { body() }
    }
  }

  private func observe(_ target: ReachabilityTarget, whenChanged: () -> Void) async {
    var known: ReachabilityStatus?
    for await event in monitor.events(of: target) where event.status.state != .unknown {
      if let known, !event.status.isOfSameNetwork(as: known) { whenChanged() }
      known = event.status
    }
  }
}

/// Decides when to verify again and which statuses to deliver.
///
/// It performs nothing itself: the follower owns time and network. The network's state has a number, which each
/// change increments. Results carry the number for which their work began, and results of an earlier number are
/// ignored.
struct FollowMachine {
  enum Input: Equatable {
    /// The path, initial or changed.
    case path(ReachabilityPath)
    /// The status of an endpoint's target changed; the path is the current one, which may not have been reported yet.
    case endpointChange(ReachabilityPath)
    /// The network has not changed for the settling time.
    case settled(Int)
    /// A verification has completed.
    case verified(ReachabilityVerification.Report, Int)
    /// The pause between two verifications is over.
    case due(Int)
  }

  enum Action: Equatable {
    case deliver(ReachabilityVerification.VerifiedStatus)
    /// Cancel work that began for an earlier state of the network.
    case cancel
    case settle(Int)
    case verify(Int)
    /// Wait for the pause between two verifications.
    case pause(Int)
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
        return [.deliver(first), .verify(network)]
      }
      return known.path == path ? [] : recordChange { $0.path = path }
    case .endpointChange(let path):
      // Before the first path no work has begun that could be out of date.
      return status == nil ? [] : recordChange { $0.path = path }
    case .settled(let number):
      return number == network ? [.verify(number)] : []
    case .verified(let report, let number):
      guard number == network else { return [] }
      return update {
        $0.report = report
        $0.isCurrent = true
      } + (repeats ? [.pause(number)] : [])
    case .due(let number):
      return number == network ? [.verify(number)] : []
    }
  }

  private mutating func recordChange(
    _ body: (inout ReachabilityVerification.VerifiedStatus) -> Void
  ) -> [Action] {
    network += 1
    return [.cancel]
      + update {
        body(&$0)
        $0.isCurrent = false
      } + [.settle(network)]
  }

  /// Updates the status; delivers it if it differs.
  private mutating func update(
    _ body: (inout ReachabilityVerification.VerifiedStatus) -> Void
  ) -> [Action] {
    guard let before = status else { return [] }
    var after = before
    body(&after)
    status = after
    return before == after ? [] : [.deliver(after)]
  }
}
