#if os(Linux)
import Synchronization

/// What belongs to a path and the kernel does not know.
struct PathSurroundings: Sendable {
  /// The file that names the name servers; `nil` where none is known.
  var resolverFile: ResolverFile?
  /// Who may know what costs money.
  var metering: (any MeteringSource)?

  /// The name servers that this machine is told to ask; `nil` if that can't be read.
  var nameServers: (list: [ReachabilityPath.NameServer], isCurrent: Bool)? {
    guard let resolverFile else { return ([], true) }
    return resolverFile.read().map { ($0.configuration.nameServers, $0.isCurrent) }
  }
}

/// The file that names the name servers, and what it said when it could last be read.
final class ResolverFile: Sendable {
  let path: String
  private let known = Mutex<ResolverConfiguration?>(nil)

  init(_ path: String) {
    self.path = path
  }

  /// Reads the file anew: some microseconds, and never older than a path that is worked out from it.
  ///
  /// A process without descriptors gets what the file said before; `nil` if that is nothing.
  func read() -> (configuration: ResolverConfiguration, isCurrent: Bool)? {
    known.withLock { known in
      if let read = try? ResolverConfiguration(contentsOf: path) {
        known = read
        return (read, true)
      }
      return known.map { ($0, false) }
    }
  }
}

extension LinuxNetworkSource {
  func evaluatePath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers?.list else { return .unknown(for: nil) }
    let nothing = MeteringMoment()
    let evaluation = callers.withLock { $0.evaluatePath(nameServers, nothing) }
    // Somebody else is asked without the lock, since others may not have to wait for that.
    guard let answers = surroundings.metering.map(nothing.asked), !answers.isEmpty else { return evaluation }
    return callers.withLock { $0.evaluatePath(nameServers, MeteringMoment(answers)) }
  }

  func evaluateObservedPath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers else {
      return .unknown(for: NetworkTracker.retryInterval)
    }
    // A path takes so many answers that any change may have come between two of them.
    var evaluation = evaluateBetweenChanges {
      $0.evaluatePath(nameServers.list, surroundings.metering)
    } isSuspect: { _ in
      true
    } isDisturbed: {
      !$0.isEmpty
    }
    if !nameServers.isCurrent {
      evaluation.lifetime = min(evaluation.lifetime ?? .seconds(60), NetworkTracker.retryInterval)
    }
    return evaluation
  }
}
#endif
