// SPDX-License-Identifier: Apache-2.0
/// What this machine may have run out of, and what it drops for other reasons than a rule.
///
/// Counters count since the machine started: only what they grow by during a question means something.
struct MachineLimits: Equatable, Sendable {
  /// The entries of the connection tracking table, and how many it can have; `nil` without connection tracking.
  var trackedConnections: Int?
  var trackingLimit: Int?
  /// Received IPv4 packets that the reverse-path filter dropped.
  var reversePathDrops: UInt64?
  /// How many times TCP ran short of memory.
  var memoryPressures: UInt64?
  /// How many times a neighbour table had no room, by family.
  var neighbourOverflows: [ReachabilityAddress.Family: UInt64] = [:]
  /// The local ports that the kernel chooses from.
  var localPorts: ClosedRange<Int>?

  /// Adds the counters of the text of `/proc/net/netstat`.
  mutating func read(netstat text: [UInt8]) {
    guard let counters = ProtocolCounters("TcpExt", in: text) else { return }
    (reversePathDrops, memoryPressures) = (counters["IPReversePathFilter"], counters["TCPMemoryPressures"])
  }

  /// Adds the counter of the text of `/proc/net/stat/arp_cache` or `ndisc_cache`: names, then for each processor a line of
  /// hexadecimal numbers.
  mutating func read(neighbours text: [UInt8], _ family: ReachabilityAddress.Family) {
    let lines = String(decoding: text, as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
    guard let place = lines.first?.firstIndex(of: "table_fulls") else { return }
    let counts = lines.dropFirst().compactMap { $0.count > place ? UInt64($0[place], radix: 16) : nil }
    neighbourOverflows[family] = counts.reduce(0, &+)
  }

  /// Adds the text of `ip_local_port_range`.
  mutating func read(portRange text: [UInt8]) {
    let ports = String(decoding: text, as: UTF8.self).split { $0.isWhitespace }.compactMap { Int($0) }
    if ports.count == 2, ports[0] <= ports[1] { localPorts = ports[0]...ports[1] }
  }
}

extension Explainer {
  /// Returns the steps about what this machine lacks, or drops, that a rule does not tell.
  func limitSteps() -> [ReachabilityExplanation.Step] {
    guard let now = facts.limits else { return [] }
    var steps = [fullTracking(now)].compactMap(\.self)
    // What else grew during an attempt that succeeded did not stop it.
    guard let report = facts.probe.connection, !report.isConnected else { return steps }
    if report.attempts.contains(where: { $0.address.family == .v4 && $0.start != nil }),
      let count = growth(\.reversePathDrops)
    {
      steps.append(
        .init(
          .localFilter, family: .v4, .unknown,
          fact: "the reverse-path filter dropped \(count.words("packet")) during the attempt",
          problem:
            "This machine may drop the answers: they arrive over another interface than its packets leave by.",
          advice: "Accept them, as root: sysctl -w net.ipv4.conf.all.rp_filter=2."))
    }
    for family in [ReachabilityAddress.Family.v4, .v6] {
      guard let count = growth(\.neighbourOverflows[family]) else { continue }
      let name = family == .v4 ? "ipv4" : "ipv6"
      steps.append(
        .init(
          .resources, family: family, .unknown,
          fact: "the table of neighbours had no room \(count.words("time")) during the attempt",
          problem: "Packets to neighbours that are not in the table are dropped.",
          advice: "Let it grow, as root: sysctl -w net.\(name).neigh.default.gc_thresh3=16384."))
    }
    if let count = growth(\.memoryPressures) {
      steps.append(
        .init(
          .resources, .unknown,
          fact: "TCP ran short of memory \(count.words("time")) during the attempt",
          problem: "This machine gives TCP less memory than its connections need.",
          advice: "Compare the use with the limits: cat /proc/net/sockstat, sysctl net.ipv4.tcp_mem."))
    }
    return steps
  }

  /// Returns by how much a counter grew during the probe; `nil` if it did not, or that is not known.
  private func growth(_ counter: (MachineLimits) -> UInt64?) -> UInt64? {
    guard let before = facts.probe.limitsBefore.flatMap(counter), let now = facts.limits.flatMap(counter),
      now > before
    else { return nil }
    return now - before
  }

  /// Whether a table without room is why packets did not leave, and no rule.
  ///
  /// - Parameter family: That of the probe's packets.
  func isOutOfRoom(_ family: ReachabilityAddress.Family? = nil) -> Bool {
    facts.limits.flatMap(fullTracking) != nil
      || family.flatMap { family in growth(\.neighbourOverflows[family]) } != nil
  }

  private func fullTracking(_ now: MachineLimits) -> ReachabilityExplanation.Step? {
    guard let count = now.trackedConnections, let limit = now.trackingLimit, limit > 0, count >= limit else {
      return nil
    }
    return .init(
      .resources, .unknown,
      fact: "the table of tracked connections is full, with \(count) of \(limit) entries",
      problem: "This machine drops the packets of new connections until older entries of the table expire.",
      advice: "Let it grow, as root: sysctl -w net.netfilter.nf_conntrack_max=\(limit * 2).")
  }

  /// Returns the problem and the advice if no local port is left for connections to an address, and not the address itself.
  func usedPorts(_ attempt: ReachabilityConnectionReport.Attempt, _ port: UInt16) -> (String, String)? {
    guard attempt.outcome == .failed(errorNumber: 99), let ports = facts.limits?.localPorts,
      facts.paths.contains(where: {
        $0.target.destination == .address(attempt.address) && $0.status.isReachable
      })
    else { return nil }
    return (
      "All local ports from \(ports.lowerBound) to \(ports.upperBound) are in use for connections to "
        + "\(attempt.address) port \(port).",
      "Close some of them, or use more ports, as root: sysctl -w net.ipv4.ip_local_port_range='1024 65535'."
    )
  }
}

extension UInt64 {
  fileprivate func words(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}
