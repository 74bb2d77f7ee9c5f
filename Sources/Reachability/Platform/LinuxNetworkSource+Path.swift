#if os(Linux)
import Synchronization

/// What belongs to a path and the kernel does not know.
struct PathSurroundings: Sendable {
  /// The file that names the name servers; `nil` where none is known.
  var resolverConfiguration: String?
  /// Who may know what costs money.
  var metering: (any MeteringSource)?

  /// The name servers that this machine is told to ask now.
  ///
  /// Read anew each time: some microseconds, and never older than the path.
  var nameServers: [NetworkPath.NameServer] {
    resolverConfiguration.map { ResolverConfiguration(contentsOf: $0).nameServers } ?? []
  }
}

extension LinuxNetworkSource {
  func evaluatePath() -> PathEvaluation {
    let nameServers = surroundings.nameServers
    let nothing = MeteringMoment()
    let evaluation = callers.withLock { $0.evaluatePath(nameServers, nothing) }
    // Somebody else is asked without the lock, since others may not have to wait for that.
    guard let answers = surroundings.metering.map(nothing.asked), !answers.isEmpty else { return evaluation }
    return callers.withLock { $0.evaluatePath(nameServers, MeteringMoment(answers)) }
  }

  func evaluateWatchedPath() -> PathEvaluation {
    let nameServers = surroundings.nameServers
    // A path takes so many answers that any change may have come between two of them.
    return askBetweenChanges {
      $0.evaluateWatchedPath(nameServers, surroundings.metering)
    } isSuspect: { _ in
      true
    } isDisturbed: {
      !$0.isEmpty
    }
  }
}
#endif
