// SPDX-License-Identifier: Apache-2.0
extension Explainer {
  /// Returns the step about the size of packets that pass to the connected address.
  ///
  /// Small packets do pass, so the step never fails: that greater ones vanish is a likely cause if no answer arrives.
  func packetSizeStep(_ finding: PacketSizeFinding) -> ReachabilityExplanation.Step {
    var step = ReachabilityExplanation.Step(
      .packetSize, family: finding.address.family, .unknown, fact: finding.fact)
    switch finding.outcome {
    case .passed: step.verdict = .passed
    case .unknown: break
    case .lost(let from, let passing, let direction):
      step.problem = finding.problem(from: from, passing: passing, direction)
      step.advice = advice(about: finding, passing)
    }
    return step
  }

  /// The size that every IPv6 link carries, and every IPv4 link in use (RFC 8200, section 5).
  private static let safeSize = 1280

  /// Returns the command that makes packets to the address small enough, and through the MSS those from it too.
  private func advice(about finding: PacketSizeFinding, _ passing: Int?) -> String {
    let address = finding.address
    let path = facts.paths.first { $0.target.destination == .address(address) }
    guard let path, let interface = path.status.interface else {
      // Finds the size by itself, but takes seconds for it, and helps only in one direction.
      return "Until that router is repaired, let TCP find the size: sysctl net.ipv4.tcp_mtu_probing=1."
    }
    var command = address.family == .v6 ? "ip -6 route replace \(address)" : "ip route replace \(address)"
    if let gateway = path.status.gateway {
      command += gateway.family == address.family ? " via \(gateway)" : " via inet6 \(gateway)"
    }
    command += " dev \(interface.name.shellWord)"
    if let table = path.table { command += " table \(table)" }
    return
      "Until that router is repaired, use smaller packets there: \(command) mtu \(passing ?? Self.safeSize)."
  }

  /// Returns the clause of the summary about packets that vanish; `nil` if none are known to.
  func packetSizeClause(_ finding: PacketSizeFinding) -> String? {
    guard case .lost(let from, _, let direction) = finding.outcome else { return nil }
    return "but packets of \(from) bytes or more vanish\(direction.words)"
  }
}

extension PacketSizeFinding {
  /// The finding in words, for example `packets of 1500 bytes pass in both directions`.
  fileprivate var fact: String {
    switch outcome {
    case .passed(let size, let isBackTested):
      var text = "packets of \(size) bytes pass"
      text += isBackTested && fragment == nil ? " in both directions" : " to \(address)"
      if let fragment { text += ", answers of that size arrive in fragments of up to \(fragment) bytes" }
      if let report, report.mtu <= size {
        text += "; \(report.reporter?.description ?? "this machine") reports that no greater ones do"
      }
      return text
    case .lost(let from, let passing, let direction):
      let limit = from - 1 == passing ? "greater ones" : "those of \(from) bytes or more"
      guard let passing else { return "small packets pass, \(limit) vanish\(direction.words)" }
      return "packets of \(passing) bytes pass, \(limit) vanish\(direction.words)"
    case .unknown(let ignorance):
      return "not known whether packets of \(full) bytes pass: \(words(for: ignorance))"
    }
  }

  fileprivate func problem(from: Int, passing: Int?, _ direction: Direction) -> String {
    let sizes = from - 1 == passing ? "more than \(from - 1) bytes" : "\(from) bytes or more"
    return switch direction {
    case .there: "A router on the path drops packets of \(sizes) and does not say so."
    case .back: "A router on the way back drops packets of \(sizes) and does not say so."
    case .either: "A router on the path or on the way back drops packets of \(sizes) and does not say so."
    }
  }

  private func words(for ignorance: Ignorance) -> String {
    switch ignorance {
    case .silent(mayEcho: true): "\(address) answers neither UDP nor echo requests"
    case .silent(mayEcho: false):
      "\(address) does not answer UDP, and this user may not send echo requests (net.ipv4.ping_group_range)"
    case .filtered: "\(address) answers small test packets only, as behind a filter"
    case .undecided(let passing?): "those of \(passing) bytes do, and there were too few answers"
    case .undecided(nil): "there were too few answers"
    case .notSent: "this machine does not let test packets leave"
    }
  }
}

extension PacketSizeFinding.Direction {
  fileprivate var words: String {
    switch self {
    case .there: " on the path"
    case .back: " on the way back"
    case .either: ""
    }
  }
}
