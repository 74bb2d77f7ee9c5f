// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import ReachabilityRehearsal
import Testing

@testable import ReachabilityKit

/// Explanations of a lab's network, each compared with the status at the same moment.
struct ExplanationLab {
  let lab: Lab
  private let monitor: ReachabilityMonitor
  private let resolverConfiguration: String

  init(_ lab: Lab, nameServers: String = "") throws {
    self.lab = lab
    let file = FileManager.default.temporaryDirectory.appending(path: "resolv-\(UUID().uuidString)")
      .path(percentEncoded: false)
    resolverConfiguration = file
    try nameServers.write(toFile: file, atomically: true, encoding: .utf8)
    monitor = try lab.host.run {
      ReachabilityMonitor(source: try LinuxNetworkSource(resolverConfiguration: file))
    }
  }

  func cleanUp() { try? FileManager.default.removeItem(atPath: resolverConfiguration) }

  /// Explains a target, and compares the chain with the status.
  func explain(_ target: ReachabilityTarget, location: SourceLocation = #_sourceLocation)
    -> ReachabilityExplanation
  {
    let explanation = monitor.currentExplanation(of: target)
    let status = monitor.currentStatus(of: target)
    #expect(explanation.status == status, sourceLocation: location)
    let deciding = explanation.steps.first { $0.family != nil }?.family
    switch status.state {
    case .reachable:
      let failed = explanation.steps.filter { $0.family == deciding && $0.verdict == .failed }
      #expect(failed == [], sourceLocation: location)
    case .notReachable:
      let first = explanation.firstFailure
      #expect(first?.problem != nil && first?.advice != nil, "\(explanation)", sourceLocation: location)
      #expect(first?.family == deciding, sourceLocation: location)
    case .unknown: Issue.record("\(target) is unknown", sourceLocation: location)
    }
    for step in explanation.steps {
      #expect((step.problem == nil) == (step.advice == nil), "\(step)", sourceLocation: location)
      #expect(step.problem?.hasSuffix(".") != false, "\(step)", sourceLocation: location)
    }
    prove(explanation, location)
    return explanation
  }

  /// Expects each command that an explanation advises to make the target reachable, in a copy of the lab.
  private func prove(_ explanation: ReachabilityExplanation, _ location: SourceLocation) {
    let (target, status) = (explanation.target, explanation.status)
    // A copy has no IPsec.
    for command in explanation.firstFailure?.advisedCommands ?? [] where !command.hasPrefix("ip xfrm") {
      do {
        let rehearsal = try lab.host.run { [monitor] in
          try NetworkRehearsal(of: [target], [status], monitor: monitor)
        }
        var output: [UInt8] = []
        let end = try rehearsal.run(["sh", "-c", command]) { output += $0 }
        let text = String(decoding: output, as: UTF8.self)
        #expect(end == .exited(0), "\(command): \(text)", sourceLocation: location)
        let after = rehearsal.status(of: target)
        // Addresses and routes of an interface that was off are set again by programs that do not run here.
        let kinds: [ReachabilityExplanation.Step.Kind] = [.interface, .addresses]
        let isFirstStep =
          explanation.firstFailure.map { kinds.contains($0.kind) } == true && after.reason == .noRoute
        #expect(
          after.isReachable || isFirstStep, "after \(command): \(after), \(rehearsal.missingParts)",
          sourceLocation: location)
      } catch {
        Issue.record("\(command): \(error)", sourceLocation: location)
      }
    }
  }

  /// Expects the first failed step to have a kind and a fact.
  func expect(
    _ target: ReachabilityTarget, failsAt kind: ReachabilityExplanation.Step.Kind, _ fact: String,
    reason: ReachabilityStatus.Reason,
    location: SourceLocation = #_sourceLocation
  ) {
    let explanation = explain(target, location: location)
    #expect(explanation.status.reason == reason, sourceLocation: location)
    #expect(explanation.firstFailure?.kind == kind, "\(explanation)", sourceLocation: location)
    #expect(explanation.firstFailure?.fact == fact, sourceLocation: location)
  }

  /// The first step of a kind.
  func step(
    _ kind: ReachabilityExplanation.Step.Kind, of target: ReachabilityTarget,
    location: SourceLocation = #_sourceLocation
  ) -> ReachabilityExplanation.Step? {
    explain(target, location: location).steps.first { $0.kind == kind }
  }

  /// Waits until the output of `ip` contains a text that results from the kernel's own action.
  func wait(until command: String, says text: String) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while ContinuousClock.now < deadline {
      if try lab.host.ip(command).contains(text) { return }
    }
    Issue.record("'ip \(command)' never said '\(text)'")
  }
}
#endif
