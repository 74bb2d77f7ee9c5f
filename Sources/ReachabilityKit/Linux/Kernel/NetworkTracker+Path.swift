#if os(Linux)
import Netlink

extension NetworkTracker {
  /// Works out the path now, with the messages read that were announced before.
  mutating func evaluatePath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    update()
    var evaluation = PathEvaluation.unknown(for: nil)
    guard failure == nil else { return evaluation }
    for _ in 0..<Self.readLimit {
      let tables = networkState
      evaluation = askAboutPath(nameServers, metering, isWatching: false) ?? evaluation
      update()
      // Nothing changed between the tables and the answers, so they belong together.
      if networkState == tables { break }
    }
    return evaluation
  }

  /// Works out the path for observers, with few calls whatever the number of interfaces.
  mutating func evaluateWatchedPath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?
  ) -> PathEvaluation {
    if isStale || isUnsettled { update() }
    guard failure == nil else { return .unknown(for: Self.retryInterval) }
    // What is read of changes from now on is an occasion to ask again.
    return askAboutPath(nameServers, metering, isWatching: true) ?? .unknown(for: Self.retryInterval)
  }

  /// Returns `nil` if the kernel can't be asked.
  private mutating func askAboutPath(
    _ nameServers: [ReachabilityPath.NameServer], _ metering: (any MeteringSource)?, isWatching: Bool
  ) -> PathEvaluation? {
    for _ in 0..<Self.readLimit {
      let evaluator = PathEvaluator(
        network: networkState, isWatching: isWatching, nameServers: nameServers, metering: metering)
      var answers = PathAnswers()
      rounds: for _ in 0..<Self.roundLimit {
        switch evaluator.evaluate(answers) {
        case .known(let evaluation):
          return evaluation
        case .ask(let questions):
          guard let replies = self.answers(to: questions) else { return nil }
          for (question, reply) in zip(questions, replies) { answers[question] = reply }
        case .unknownLink(let index):
          if isUnreadable(link: index) { return nil }
          // The kernel is ahead of its messages; once they are read the link is there, or the route is gone.
          refresh()
          break rounds
        }
      }
    }
    return nil
  }
}
#endif
