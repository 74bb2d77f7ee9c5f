// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// The step of an explanation that `reachability-trace` finds: which rule of this machine's firewall drops the probe.
struct FirewallTrace {
  let attempt: ReachabilityConnectionReport.Attempt
  let port: UInt16
  /// The other constraints of the packets.
  let target: ReachabilityTarget
  let timeout: Duration

  /// The longest output of the program that is read, in bytes: more than any report has.
  private static let outputLimit = 1 << 18
  /// The longest time that the program waits for a decision; it accepts no longer one.
  private static let longestTimeout = Duration.seconds(10)

  /// The address of the report to trace: the first that did not connect, or else the one that did.
  init?(
    _ report: ReachabilityConnectionReport, port: UInt16, to target: ReachabilityTarget, timeout: Duration
  ) {
    let tried = report.attempts.filter { $0.start != nil }
    guard let attempt = tried.first(where: { $0.outcome != .connected }) ?? tried.first else { return nil }
    self.attempt = attempt
    self.port = port
    self.target = target
    self.timeout = min(max(timeout, .milliseconds(100)), Self.longestTimeout)
  }

  /// Runs the program, and returns the step; blocks for the time limit and some milliseconds.
  ///
  /// The program itself reports that it lacks the right.
  ///
  /// - Throws: What prevents the program from running, or its report from being read.
  func step() throws(UsageError) -> ReachabilityExplanation.Step? {
    let program = SeparateCommand.program(of: CommandSummary.trace.name)
    guard let path = Execution.trustedPath(of: program) else {
      throw UsageError(
        "--trace runs \(program), which is not in the folder of this command",
        hint: "install it there, or run \(program) by itself")
    }
    let child = ChildProgram(at: path, arguments, hasEnvironment: false)
    let result = child.run(within: timeout + .seconds(5), upTo: Self.outputLimit)
    // It has said why.
    if result?.status == ExitStatus.trouble { return nil }
    guard let output = result?.output, output.last == UInt8(ascii: "\n"),
      let report = TraceReport(line: output.dropLast())
    else {
      throw UsageError(
        "\(program) has not reported what became of the packet", hint: "run \(program) by itself to see why")
    }
    return Self.step(report, family: attempt.address.family)
  }

  /// The arguments of the program.
  var arguments: [String] {
    let address = attempt.address
    let host = address.family == .v4 ? "\(address)" : "[\(address)]"
    var words = ["tcp://\(host):\(port)", "--json", "--timeout", "\(Int(timeout / .milliseconds(1)))ms"]
    if let interface = attempt.interface ?? target.interface { words += ["--interface", "\(interface)"] }
    if let source = target.source { words += ["--from", "\(source)"] }
    if let mark = target.mark { words += ["--mark", "\(mark)"] }
    return words
  }

  /// The step that says what a report says.
  static func step(
    _ report: TraceReport, family: ReachabilityAddress.Family
  ) -> ReachabilityExplanation.Step {
    let words = report.words
    let verdict: ReachabilityExplanation.Step.Verdict =
      switch words.verdict {
      case .passed: .passed
      case .failed: .failed
      case .unknown: .unknown
      }
    return .init(
      .localFilter, family: family, verdict, fact: words.fact, problem: words.problem, advice: words.advice)
  }
}

extension ReachabilityExplanation {
  /// Adds the step of a trace before the attempt to connect; a rule that is named stands for what the attempt suspected.
  mutating func add(_ trace: Step) {
    if trace.verdict == .failed {
      steps.removeAll { $0.kind == .localFilter && $0.family == trace.family }
      for place in steps.indices where steps[place].kind == .connection && steps[place].family == trace.family
      {
        (steps[place].problem, steps[place].advice) = (nil, nil)
      }
    }
    let place = steps.firstIndex { $0.kind == .connection && $0.family == trace.family }
    steps.insert(trace, at: place ?? steps.endIndex)
  }
}
