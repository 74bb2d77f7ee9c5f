// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// `reachability explain`: what decides a target's status, step by step.
struct ExplainCommand: Command {
  struct Options: CommandOptions {
    static let probe = Option(
      "probe",
      takes: Option.Value("PORT", "a TCP port from 1 to 65535, or the name of a service, for example https"),
      "also connect to this TCP port of the target, or to that of a service such as https, and query each name server",
      detail: """
        Without this option, the command looks up the name, and sends nothing to the target. \
        The addresses of a host are tried in the order of RFC 8305, and a connection is closed immediately. \
        After a connection over a link, up to 40 test packets (UDP to the same port number, ICMP echo requests, and at the \
        ports of TLS a client hello) show whether full packets pass, for at most two seconds: the step 'packet size'. \
        The route is explained for this port, not for the port of a URL. \
        The port of a service is that of a URL with this scheme, or else the one in /etc/services.
        """)
    static let timeout = Option(
      "timeout", takes: .duration(), "with --probe: stop after this long", default: "10s")

    static let trace = Option(
      "trace", "with --probe: name the firewall rule of this machine that drops the packets (needs root)",
      detail: """
        It runs reachability-trace, from the folder of this command, which sends one more packet, needs CAP_NET_ADMIN, \
        and says what it changes meanwhile: see reachability-trace(1). Without the program or the right, the rest is \
        explained all the same.
        """)

    static let prove = Option(
      "prove", "try the advice in copies of this network, and look for a command that helps",
      detail: """
        It runs reachability-rehearse, which changes nothing outside the copies. Advice that has not helped in a copy is not \
        printed; what else has helped is printed as a repair. See --repair in reachability-rehearse(1).
        """)

    /// One target.
    var targets: [NamedTarget]
    var namespace: ReachabilityNamespace?
    var isJSON: Bool
    /// The port to connect to.
    var port: UInt16?
    var timeout: Duration
    /// Whether to trace the packets through the firewall.
    var isTraced: Bool
    /// Whether to try the advice.
    var isProved: Bool
    var observes: Bool { false }
    var threadCount: Int? { port == nil ? nil : Self.observingThreadCount }

    init(_ parsed: ParsedOptions) throws(UsageError) {
      namespace = try parsed.namespace()
      isJSON = parsed.has(.json)
      timeout = try parsed.duration(Self.timeout) ?? .seconds(10)
      guard parsed.arguments.count <= 1 else {
        throw UsageError(
          "'explain' takes one target, got \(parsed.arguments.count)", hint: "use 'check' for several targets"
        )
      }
      targets = try parsed.targets()
      port = try parsed.value(Self.probe, UInt16.init(serviceText:))
      try parsed.require(Self.probe, with: Self.timeout, Self.trace, in: ExplainCommand.description)
      isTraced = parsed.has(Self.trace)
      isProved = parsed.has(Self.prove)
      for (isGiven, option, action) in [
        (isTraced, Self.trace, "traces"), (isProved, Self.prove, "copies"),
      ] where isGiven && namespace != nil {
        throw UsageError(
          "--\(option.name) does not fit --namespace, since it \(action) this network",
          hint: "run the command there: ip netns exec NAME reachability explain")
      }
      if port != nil, targets.contains(where: { $0.target.destination == .defaultRoute }) {
        throw UsageError(
          "--probe cannot connect to the default route", hint: "give an address, a host name or a URL")
      }
    }
  }

  static let summary = CommandSummary(
    "explain", "print what decides a target's status, step by step, and how to fix it",
    synonyms: ["why", "diagnose", "debug", "doctor", "fix"])

  static let description = CommandDescription(
    summary,
    takes: .targets(isMany: false),
    """
    Prints each fact that decides the status of a target, step by step, with the problem and advice where one fails. \
    The step 'traffic' says whether the target answers, judged by this machine's own TCP connections; it never changes \
    the status.
    """,
    options: [Options.probe, Options.timeout, Options.trace, Options.prove] + Option.constraints
      + Option.jsonAndNamespace,
    statuses: [
      0: "the target is reachable, and with --probe the connection succeeded",
      1:
        "the target is not reachable, not connected, or seems not to answer: a failed next hop, stalled connections",
    ],
    examples: [
      .init("reachability explain example.com", "Why is this host not reachable, and how is it fixed?"),
      .init(
        "reachability explain 10.9.0.1 --probe ssh", "Does its SSH server answer, and if not, who refuses?"),
      .init(
        "reachability explain 10.9.0.1 --prove",
        "Which command makes it reachable? Each is tried in a copy first."),
    ])

  let options: Options
  let monitor: ReachabilityMonitor
  let output: StandardOutput

  func run() throws(ReachabilityMonitorError) -> Int32 {
    let report = ExplanationReport(isJSON: options.isJSON, output: output)
    var exitStatus = ExitStatus.success
    for named in options.targets {
      var explanation = try explain(named)
      trace(named, &explanation)
      let result = report.write(named.text, explanation, repairs: repairs(for: named, explanation))
      if case .failed = result { return output.exitStatus(result, else: ExitStatus.trouble) }
      exitStatus = max(exitStatus, self.exitStatus(of: explanation))
    }
    return exitStatus
  }

  private func exitStatus(of explanation: ReachabilityExplanation) -> Int32 {
    // A name server that did not answer the probe is an answer, while the lookup goes on.
    let isNegative = explanation.isDoubtful || explanation.connection?.isConnected == false
    return isNegative && explanation.status.reason != .systemError
      ? ExitStatus.negative : explanation.status.exitStatus
  }

  /// Adds the step of the firewall, or reports why there is none.
  private func trace(_ named: NamedTarget, _ explanation: inout ReachabilityExplanation) {
    guard options.isTraced, let port = options.port, let report = explanation.connection,
      let trace = FirewallTrace(
        report, port: port, to: named.target, timeout: min(options.timeout, .seconds(3)))
    else { return }
    do throws(UsageError) {
      if let step = try trace.step() { explanation.add(step) }
    } catch {
      output.report(error)
    }
  }

  /// What was tried in copies of the network; `nil` if nothing was to be tried, or could be.
  private func repairs(
    for named: NamedTarget, _ explanation: ReachabilityExplanation
  ) -> [RepairReport.Repair]? {
    guard options.isProved, explanation.status.state == .notReachable else { return nil }
    if output.isInteractive { output.say("trying commands in copies of this network") }
    do throws(UsageError) {
      return try RepairProof(named: named).report()?.repairs
    } catch {
      output.report(error)
      return nil
    }
  }

  private func explain(_ named: NamedTarget) throws(ReachabilityMonitorError)
    -> ReachabilityExplanation
  {
    guard let port = options.port else {
      // The monitor keeps a name's addresses from here on, and explains them.
      _ = PendingStatus(of: named, monitor).wait(reportingTo: output)
      return monitor.currentExplanation(of: named.target)
    }
    if output.isInteractive { output.say("connecting to \(named.text.escapedForTerminal) port \(port)") }
    return try AwaitedResult { [monitor, timeout = options.timeout] in
      try await monitor.explain(named.target, probing: port, timeout: timeout)
    }.wait()
  }
}

extension ReachabilityExplanation {
  /// Whether signs say that a reachable target does not answer: no next hop does, or its connections stall.
  ///
  /// A connection that was requested, and established, refutes them.
  fileprivate var isDoubtful: Bool {
    guard status.isReachable, connection?.isConnected != true else { return false }
    let hops = steps.filter { $0.kind == .nextHop && $0.verdict != .failed }
    let isSilent = !hops.isEmpty && hops.allSatisfy { $0.problem != nil }
    return isSilent || evidence?.isStrongStall == true
  }
}

extension UInt16 {
  /// Reads a port, or the name of a service.
  fileprivate init?(serviceText text: String) {
    if let port = UInt16(digits: text) {
      guard port > 0 else { return nil }
      self = port
    } else if let url = try? ReachabilityTarget("\(text)://localhost"), url.transport == .tcp,
      let port = url.port
    {
      self = port
    } else if let port = Machine.tcpPort(ofService: text) {
      self = port
    } else {
      return nil
    }
  }
}
