/// The evaluation of packets that a route wraps into others.
extension Evaluator {
  /// Evaluates packets to a segment (SRv6), which leave by the segment's route, whatever the state of the first route's link.
  ///
  /// The kernel looks that route up as for its own packets: without the socket's interface and protocol, but with its
  /// mark. Where rules for sources or several next hops take part, its choice is not known.
  ///
  /// - Parameter source: The source of the packets inside.
  func verdict(
    by encapsulation: RouteReply.Encapsulation, _ question: RouteQuestion, from source: IPAddress,
    _ answers: RouteAnswers, lifetime: Duration?
  ) -> Verdict {
    let unknown = Verdict.known(Evaluation(.unknown(.encapsulated), lifetime: lifetime))
    guard case .segment(let segment) = encapsulation, !segment.needsZone,
      let outer = question.towards(segment),
      !network.sourceRules.contains(where: { $0.prefix.address.bitWidth == 128 })
    else { return unknown }
    let open = [outer, outer.exact].filter { answers[$0] == nil }
    guard open.isEmpty, let answer = answers[outer] else { return .ask(open) }
    if case .route(let reply) = answer {
      // The segment's functions on this machine decide about packets that end here.
      guard !isDelivered(reply), case .route(let entry)? = answers[outer.exact], entry.interface != nil
      else { return unknown }
    }
    let verdict = verdict(on: answer, to: outer, for: outer, answers)
    guard case .known(var evaluation) = verdict else { return verdict }
    if evaluation.status.isReachable {
      evaluation.status.source = source
      evaluation.status.flags.remove(.isDirect)
    }
    // Announcements about the segment do not count as ones about the destination.
    let end = isWatching ? Self.retryInterval : nil
    evaluation.lifetime = [lifetime, evaluation.lifetime, end].compactMap(\.self).min()
    return .known(evaluation)
  }
}
