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
            work = Task {
              let run = VerificationRun(verification, over: transport)
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
      if (try? await Task.sleep(for: duration, clock: .continuous)) != nil { body() }
    }
  }

  private func observe(_ target: ReachabilityTarget, whenChanged: () -> Void) async {
    var known: ReachabilityStatus?
    for await event in monitor.statuses(of: target) where event.status.state != .unknown {
      if let known, !event.status.isOfSameNetwork(as: known) { whenChanged() }
      known = event.status
    }
  }
}
