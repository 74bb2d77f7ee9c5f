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
    var evaluation = PathEvaluation.unknown(for: nil)
    var news = NetworkChange()
    for _ in 0..<Self.evaluationLimit {
      evaluation = watched.withLock { $0.evaluateWatchedPath(nameServers, surroundings.metering) }
      // A path takes so many answers that the kernel may have been in the middle of a change between two of them,
      // and what came of that was never so.
      waiter.waitForKernel()
      let change = watched.withLock { $0.takeChange() }
      if change.isEmpty { break }
      news.formUnion(change)
    }
    // What was heard while asking, no input tells of any more.
    if !news.isEmpty {
      watched.withLock { $0.putBack(news) }
      waiter.wake()
    }
    return evaluation
  }

  /// How many times in a row a path is worked out while the network keeps changing.
  private static var evaluationLimit: Int { 3 }
}
#endif
