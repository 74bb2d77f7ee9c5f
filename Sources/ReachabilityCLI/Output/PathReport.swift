// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import CommandLineTargets
import ReachabilityKit

/// The output of paths: text, or JSON with `--json`.
struct PathReport: Sendable {
  let isJSON: Bool
  let output: StandardOutput

  /// Writes one path, with its evidence if that is shown, and in text with what speaks against it.
  ///
  /// If only the evidence changed, text has no other lines; JSON always has the whole path.
  func write(
    _ path: ReachabilityPath, as event: RecordSchema.Event, evidence: PathEvidence? = nil,
    doubts: [String] = []
  ) -> WriteResult {
    output.write(
      isJSON
        ? JSONObject(path, as: event, evidence: evidence, at: .now).text + "\n"
        : lines(path, as: event, evidence: evidence, doubts: doubts))
  }

  /// Whether two paths have the same output, except for the time.
  ///
  /// Text leaves out, for example, link-local addresses of interfaces that have other addresses.
  func areAlike(_ path: ReachabilityPath, _ other: ReachabilityPath) -> Bool {
    isJSON ? path == other : lines(path, as: .check) == lines(other, as: .check)
  }

  /// Whether the evidence on two paths has the same output, except for ages.
  func isSameEvidence(_ evidence: PathEvidence, _ other: PathEvidence) -> Bool {
    evidence.meansSame(as: other) || !isJSON && evidence.readsSame(as: other)
  }

  /// The most unusable interfaces in text, so that a thousand of them do not scroll the other lines away.
  private static let unusableLimit = 12

  /// One line per fact, the most important first; empty lines separate the paths of a watch.
  private func lines(
    _ path: ReachabilityPath, as event: RecordSchema.Event, evidence: PathEvidence? = nil,
    doubts: [String] = []
  ) -> String {
    var facts: [(label: String, text: String)] = []
    func add(_ label: String, _ lines: [String]) {
      for (position, line) in lines.enumerated() { facts.append((position == 0 ? label : "", line)) }
    }
    if event != .check { add("time", [Timestamp.now.localText]) }
    if event != .evidence { addPath(path, add) }
    add("problem", doubts.map(\.escapedForTerminal))
    if let evidence { add("evidence", texts(of: evidence, on: path)) }

    let column = facts.map(\.label.count).max() ?? 0
    let lines = facts.map { "\($0.label.padded(to: column))  \($0.text)\n" }
    return (event == .change || event == .evidence ? "\n" : "") + lines.joined()
  }

  /// The evidence on the path, then on each of its interfaces.
  private func texts(of evidence: PathEvidence, on path: ReachabilityPath) -> [String] {
    let names = ["path"] + path.interfaces.map { $0.interface.description.escapedForTerminal }
    let width = names.map(\.count).max() ?? 0
    return zip(names, [evidence.path] + evidence.interfaces).map { name, evidence in
      "\(name.padded(to: width))  \(evidence.text(on: output))"
    }
  }

  private func addPath(_ path: ReachabilityPath, _ add: (String, [String]) -> Void) {
    add("path", [word(for: path) + (path.reason.map { ", \($0)" } ?? "")])
    for (position, usable) in path.interfaces.enumerated() {
      add(position == 0 && path.isSatisfied ? "interface" : "usable", [usable.text])
      if !usable.gateways.isEmpty {
        add("gateway", [usable.gateways.map(\.description).joined(separator: ", ")])
      }
      if let portal = usable.captivePortalAPI {
        // Nothing that a terminal would interpret counts as an address.
        add("portal API", [portal == ReachabilityPath.Interface.noPortal ? "none, the network says" : portal])
      }
    }
    let shown = path.unusableInterfaces.prefix(Self.unusableLimit)
    let width = shown.map(\.name.count).max() ?? 0
    let left = path.unusableInterfaces.count - shown.count
    add(
      "unusable",
      shown.map {
        ([$0.name.padded(to: width), $0.reasonText] + $0.addresses.texts).joined(separator: "  ")
      }
        + (left > 0 ? ["and \(left) more"] : []))
    add("IPv4", [answer(path.reasonAgainstIPv4)])
    add("IPv6", [answer(path.reasonAgainstIPv6)])
    add("DNS", [nameServers(of: path)])
    if !path.interfaces.isEmpty {
      add("expensive", [answer(path.isExpensive)])
      add("constrained", [answer(path.isConstrained)])
    }
  }

  private func word(for path: ReachabilityPath) -> String {
    let (word, colour): (String, TerminalColour) =
      switch path.status {
      case .satisfied: ("satisfied", .green)
      case .unsatisfied: ("unsatisfied", .red)
      case .requiresConnection: ("requires connection", .yellow)
      case .unknown: ("unknown", .yellow)
      }
    return output.coloured(word, colour)
  }

  private func answer(_ reason: ReachabilityStatus.Reason?) -> String {
    // The kernel gave no answer.
    if reason == .systemError { return "unknown" }
    return reason.map { "no, \($0)" } ?? "yes"
  }

  private func answer(_ claim: Bool?) -> String { claim.map { $0 ? "yes" : "no" } ?? "unknown" }

  /// Each name server, with the reason why it is unreachable.
  private func nameServers(of path: ReachabilityPath) -> String {
    if path.status == .unknown { return "unknown" }
    guard !path.nameServers.isEmpty else {
      // A system that reports no addresses may still report whether name servers exist.
      return path.hasNameServer.map { $0 ? "yes" : "no" } ?? "no, no name server is configured"
    }
    let servers = path.nameServers.map { server in
      server.description.escapedForTerminal + (server.reason.map { " (\($0))" } ?? "")
    }
    // Nothing is sent to them.
    return (path.supportsDNS ? "routed, not asked: " : "no, ") + servers.joined(separator: ", ")
  }
}

extension ReachabilityPath.Interface {
  /// The interface, the interfaces below it, its addresses and its MTU.
  fileprivate var text: String {
    let below = lower.map(\.description.escapedForTerminal).joined(separator: ", ")
    let name =
      interface.description.escapedForTerminal + (below.isEmpty ? "" : " on \(below)")
      + underlays.map { " over \($0.description.escapedForTerminal)" }.joined()
    return ([name] + addresses.texts + (mtu.map { ["mtu \($0)"] } ?? [])).joined(separator: "  ")
  }
}

extension [ReachabilityPath.Address] {
  /// The addresses in one text, link-local ones only if there are no others; empty without addresses.
  fileprivate var texts: [String] {
    let others = filter { !$0.address.needsZone }
    let shown = others.isEmpty ? self : others
    return shown.isEmpty ? [] : [shown.map(\.description).joined(separator: ", ")]
  }
}

extension ReachabilityPath.UnusableInterface {
  fileprivate var name: String { interface.description.escapedForTerminal }

  /// The reason, with what stops the packets of a tunnel.
  fileprivate var reasonText: String {
    guard let last = underlays.last, reason != .tunnelLoop else { return reason.description }
    return "\(reason), \(last.description.escapedForTerminal)"
  }
}

/// The evidence on a path, and on each of its interfaces.
struct PathEvidence {
  var path: TrafficEvidence
  /// The evidence on each interface of the path, in their order.
  var interfaces: [TrafficEvidence]

  /// Reads the evidence once for all.
  init(
    _ path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements, monitor: ReachabilityMonitor
  ) {
    self.path = Self.target(of: path, requirements).map(monitor.evidence(for:)) ?? TrafficEvidence(.none)
    interfaces = path.interfaces.map { monitor.evidence(on: .index($0.interface.index)) }
  }

  /// The target whose packets take the path; `nil` if no interface meets the requirements.
  static func target(
    of path: ReachabilityPath, _ requirements: ReachabilityPath.Requirements
  ) -> ReachabilityTarget? {
    if requirements == .none { return .defaultRoute }
    return path.interfaces.first.map {
      ReachabilityTarget(.defaultRoute, interface: .index($0.interface.index))
    }
  }

  func meansSame(as other: PathEvidence) -> Bool {
    path.meansSame(as: other.path)
      && interfaces.elementsEqual(other.interfaces) { $0.meansSame(as: $1) }
  }

  /// Whether the text of other evidence is the same, except for ages.
  func readsSame(as other: PathEvidence) -> Bool {
    path.readsSame(as: other.path)
      && interfaces.elementsEqual(other.interfaces) { $0.readsSame(as: $1) }
  }
}

extension TrafficEvidence {
  /// The verdict, with its colour and the width of a column, and the evidence in words.
  func text(on output: StandardOutput, verdictWidth width: Int = 11) -> String {
    let (word, colour): (String, TerminalColour) =
      switch verdict {
      case .answering: ("answering", .green)
      case .stalled: ("stalled", .red)
      case .none: ("no evidence", .yellow)
      }
    return output.coloured(word.padded(to: width), colour) + "  " + words.escapedForTerminal
  }
}
