#if os(Linux)
import Synchronization

/// What belongs to a path and the kernel does not know.
struct PathSurroundings: Sendable {
  /// The file that names the name servers.
  var resolverConfiguration = "/etc/resolv.conf"
  /// Who may know what costs money.
  var metering: (any MeteringSource)?

  /// The name servers that this machine is told to ask now.
  ///
  /// Read anew each time: some microseconds, and never older than the path.
  var nameServers: [NetworkPath.NameServer] {
    ResolverConfiguration(contentsOf: resolverConfiguration).nameServers
  }
}

extension LinuxNetworkSource {
  func evaluatePath() -> PathEvaluation {
    let nameServers = surroundings.nameServers
    return callers.withLock { $0.evaluatePath(nameServers, surroundings.metering) }
  }

  func evaluateWatchedPath() -> PathEvaluation {
    let nameServers = surroundings.nameServers
    let (evaluation, hasNews) = watched.withLock { tracker in
      (tracker.evaluateWatchedPath(nameServers, surroundings.metering), tracker.hasNews)
    }
    // What was heard while asking, no input tells of any more.
    if hasNews { waiter.wake() }
    return evaluation
  }
}
#endif
