import ReachabilityKit

/// Follows the network, and verifies when the machine says so.
struct Follower: Sendable {
  var verification: ReachabilityVerification
  var monitor: ReachabilityMonitor
  var transport: any VerificationTransport
  /// How long lies between the end of verifying and the next time; `nil` if it is done again only for a change.
  var pause: Duration?
  /// How long the network must not have changed before it is verified again.
  var settling: Duration

  /// Runs until the task is cancelled.
  func run(telling tell: @Sendable (ReachabilityVerification.VerifiedStatus) -> Void) async {
    let (inputs, news) = AsyncStream.makeStream(of: FollowMachine.Input.self)
    await withDiscardingTaskGroup { group in
      group.addTask { for await path in monitor.paths() { news.yield(.path(path)) } }
      for target in Set(verification.endpoints.compactMap(\.target)) {
        group.addTask { await follow(target) { news.yield(.way(monitor.path)) } }
      }
      var machine = FollowMachine(repeats: pause != nil)
      var work: Task<Void, Never>?
      for await input in inputs {
        for action in machine.handle(input) {
          switch action {
          case .tell(let status): tell(status)
          case .abandon: work?.cancel()
          case .settle(let number): work = wait(settling) { news.yield(.settled(number)) }
          case .rest(let number): work = wait(pause ?? .zero) { news.yield(.due(number)) }
          case .verify(let number):
            work = Task {
              let run = VerificationRun(verification, over: transport)
              guard let report = try? await run(telling: { _ in }) else { return }
              news.yield(.verified(report, number))
            }
          }
        }
      }
      work?.cancel()
      group.cancelAll()
    }
  }

  private func wait(_ duration: Duration, then: @escaping @Sendable () -> Void) -> Task<Void, Never> {
    Task {
      if (try? await Task.sleep(for: duration, clock: .continuous)) != nil { then() }
    }
  }

  private func follow(_ target: ReachabilityTarget, whenChanged: () -> Void) async {
    var known: ReachabilityStatus?
    for await event in monitor.statuses(of: target) where event.status.state != .unknown {
      if let known, !event.status.isOfSameNetwork(as: known) { whenChanged() }
      known = event.status
    }
  }
}
