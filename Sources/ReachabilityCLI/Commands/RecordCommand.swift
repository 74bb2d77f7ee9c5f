import CommandLineSupport
import Dispatch
import ReachabilityKit
import Synchronization

/// `reachability record`: the path and the statuses, then each change, in a file.
struct RecordCommand {
  /// The recorder, as soon as there is one.
  private final class Running: Sendable {
    let recorder = Mutex<Recorder?>(nil)
  }

  let invocation: Invocation
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let verifier = Execution.path(of: SeparateCommand.program(of: "verify"))
    if verifier == nil, !invocation.endpoints.isEmpty {
      output.report(SeparateCommand.missing("verify", Execution.folder))
      return ExitStatus.trouble
    }
    let end = EndOfRun()
    let running = Running()
    try end.reachWhenTerminated(
      hangUp: { running.recorder.withLock { $0?.reopen() } }, startingThread: startThread)
    let recorder: Recorder
    do throws(UsageError) {
      recorder = try Recorder(invocation.recording, of: invocation.targets.map(\.text), reportingTo: output)
    } catch {
      output.report(error)
      return ExitStatus.trouble
    }
    running.recorder.withLock { $0 = recorder }

    let metrics = MetricsFile(invocation, monitor: monitor, output: output, end: end) { recorder.pause($0) }

    // The path comes first, so that a reader knows it when a status changes.
    let firstPath = DispatchSemaphore(value: 0)
    let path = PathWatch.start(invocation, monitor: monitor) { path, event, evidence in
      recorder.add {
        $0.add(path, as: event, evidence: evidence, at: $1)
        metrics?.record(path, at: $1)
      }
      if event == .initial { firstPath.signal() }
    }
    firstPath.wait()
    // Handlers only put lines into memory, so no change waits for the disk.
    let evidence = invocation.showsEvidence ? EvidenceWatch(monitor) : nil
    let observations = invocation.targets.enumerated().map { position, named in
      monitor.observe(named.target, settling: invocation.settling, on: .monitorThread) { event in
        recorder.add {
          $0.add(position, event, at: $1)
          metrics?.record(position, event.status, at: $1)
        }
        guard event.isInitial else { return }
        evidence?.add(.target(position, named.target)) { evidence in
          recorder.add { $0.add(position, evidence, at: $1) }
        }
      }
    }
    defer { withExtendedLifetime((path, observations)) {} }
    let verifications = try verifier.map { path throws(ReachabilityMonitorError) in
      try verify(by: path, recorder, end)
    }
    let status = end.wait()
    for verification in verifications ?? [] { verification.stop() }
    metrics?.remove()
    if recorder.stop() { return status }
    output.report(problem: "not all lines are in \(invocation.recording.path)")
    return ExitStatus.trouble
  }

  /// Verifies each endpoint on a thread that waits for a separate program.
  private func verify(
    by path: String, _ recorder: Recorder, _ end: EndOfRun
  ) throws(ReachabilityMonitorError) -> [VerificationWatch] {
    var verifications: [VerificationWatch] = []
    for (endpoint, name) in zip(invocation.endpoints, invocation.endpointNames) {
      let verification = VerificationWatch(
        of: endpoint, every: invocation.recording.verificationInterval, by: path, reportingTo: output)
      try startThread(named: "verify") {
        let hasResult = verification.run(unless: { end.isReached }) { value in
          recorder.add { $0.add(name, value, at: $1) }
        }
        if !hasResult { end.reach(ExitStatus.trouble) }
      }
      verifications.append(verification)
    }
    return verifications
  }
}
