#if os(Linux)
extension LinuxNetworkSource {
  func evaluatePath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers?.list else { return .unknown(for: nil) }
    let nothing = MeteringMoment()
    let evaluation = callers.withLock { $0.evaluatePath(nameServers, nothing) }
    // Metering is queried without the lock, for which other callers would wait.
    guard let answers = surroundings.metering.map(nothing.asked), !answers.isEmpty else { return evaluation }
    return callers.withLock { $0.evaluatePath(nameServers, MeteringMoment(answers)) }
  }

  func evaluateObservedPath() -> PathEvaluation {
    guard let nameServers = surroundings.nameServers else {
      return .unknown(for: NetworkTracker.retryInterval)
    }
    // A path takes so many answers that any change may fall between two of them.
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
