extension NetworkMonitor {
  /// Finds out why a target has the status that it has now: each fact that decides, and for what is wrong, what to do.
  ///
  /// Synchronous, and no network is involved: the system is asked on the calling thread, a few dozen questions at most.
  /// Where a route refuses packets the kernel looks for it in its tables, which takes up to a second for some millions of
  /// routes. Nothing is changed, and no rights are needed. From any thread.
  ///
  /// A host's name that is not known yet is looked up in the background, as by ``status(of:)``, and its step is unknown
  /// until then; ``firstKnownExplanation(of:)`` waits for that. Only Linux tells more than the status; elsewhere, and of
  /// a simulated network, that is the one step.
  ///
  /// - Returns: The explanation; its status is unknown, with the reason `systemError`, if the system fails to answer.
  public func explain(_ target: Target) -> Explanation {
    handle.engine.explain(target)
  }

  /// Does the same, once a host's name was looked up, or could not be.
  ///
  /// The system's resolver gives up after some seconds, typically 10 for a name server that does not answer.
  ///
  /// - Returns: The explanation; at once if the status is known.
  /// - Throws: `CancellationError` if the task is cancelled.
  public func firstKnownExplanation(of target: Target) async throws -> Explanation {
    _ = try await firstKnownStatus(of: target)
    return explain(target)
  }
}

extension MonitorEngine {
  /// Explains a status now, on the calling thread.
  func explain(_ target: Target) -> Explanation {
    guard isAtHome else {
      let unknown = ExplanationFacts([.init(target, Evaluation(.unknown(.systemError)))])
      return Explainer(unknown).explain(target)
    }
    guard case .host(let name) = target.destination, let names else {
      return Explainer(source.facts(about: [target], target)).explain(target)
    }
    let answer = names.answer(for: name)
    let facts = source.facts(about: answer?.targets(for: target) ?? [], target)
    return Explainer(facts).explain(target, names: answer)
  }
}
