// SPDX-License-Identifier: Apache-2.0
import NetworkCopy
import ReachabilityKit

/// A command that may make a target reachable, tried in a copy of this machine's network.
///
/// ```swift
/// import ReachabilityKit
/// import ReachabilityRehearsal
///
/// let repairs = try await NetworkRepair.search(for: try ReachabilityTarget("10.9.0.7")) ?? []
/// for repair in repairs where repair.helps {
///   print(repair.command)
/// }
/// ```
public struct NetworkRepair: Hashable, Sendable {
  /// The command for a shell, as root, for example `ip link set dev eth0 up`.
  public var command: String
  /// Whether the explanation of the target advises it.
  public var isAdvice: Bool
  /// What becomes reachable or not: the target, or a name server where no name can be looked up.
  public var subject: ReachabilityTarget
  /// The status of the subject in the copy after the command; unknown if the command could not be tried, or if the copy cannot
  /// tell.
  public var status: ReachabilityStatus
  /// What else must be true for packets to get there, in words, for example `eth0 has a carrier`; `nil` if nothing.
  public var condition: String?
  /// What the command does besides, in words, for example `it changes the way to other targets, too`; empty if nothing is
  /// known.
  public var warnings: [String]
  /// Why the status is unknown; `nil` if it is known.
  public var doubt: String?
  /// The number of this machine's TCP connections that would break or take another path.
  public var affectedConnections: Int

  /// Whether packets to the subject leave after the command.
  public var helps: Bool { status.isReachable && doubt == nil }

  /// The number of commands that help after which a search ends.
  private static let wanted = 3
  /// The greatest number of commands that are tried.
  private static let attemptLimit = 60

  /// Tries the commands that the explanation of a target advises, and the obvious ones: interfaces switched on, routes over
  /// other links, rules and dead routes removed.
  ///
  /// Each is tried in a copy of its own, and nothing else changes; see ``NetworkRehearsal``.
  ///
  /// - Parameters:
  ///   - target: The target, with its constraints.
  ///   - program: The path of the program `reachability-rehearse`; `nil` to look in this program's folder and in `PATH`.
  ///   - timeout: The time after which no further command is tried.
  /// - Returns: The commands that were tried, in that order; none if no command can help, and `nil` if there is nothing to
  ///   repair, since the target is reachable.
  /// - Throws: ``NetworkRehearsalError`` if no copy can be made.
  public static func search(
    for target: ReachabilityTarget, program: String? = nil, timeout: Duration = .seconds(20)
  ) async throws(NetworkRehearsalError) -> [NetworkRepair]? {
    let deadline = ContinuousClock.now + timeout
    var repairs: [NetworkRepair] = []
    do {
      let monitor = try ReachabilityMonitor()
      let status = try await monitor.status(of: target)
      if status.isReachable { return nil }
      var subject = target
      if status.reason == .nameServerUnreachable {
        // The second name server has mostly the first one's trouble.
        guard let server = monitor.path.nameServers.first else { return [] }
        subject = ReachabilityTarget(.address(server.address), interface: server.zone)
      }
      let explanation = try await monitor.explain(subject)
      let before = explanation.status
      guard before.isRepairable else { return [] }
      let candidates = RepairCandidates(for: subject, explanation)
      func attempt(_ list: [RepairCandidates.Candidate]) throws {
        for candidate in list {
          guard repairs.count(where: \.helps) < wanted, repairs.count < attemptLimit,
            ContinuousClock.now < deadline
          else { break }
          let rehearsal = try NetworkRehearsal(of: [subject], [before], monitor: monitor, program: program)
          repairs.append(
            try NetworkRepair(trying: candidate, in: rehearsal, before, silent: candidates.silent))
        }
      }
      try attempt(candidates.list)
      guard !repairs.contains(where: \.helps) else { return repairs }
      // Those that have changed something, or hide something, may help together with another one.
      let first = zip(candidates.list, repairs).filter { candidate, repair in
        repair.doubt == nil && (candidate.isFirstOfTwo || repair.status.reason != status.reason)
      }.map(\.0)
      try attempt(
        first.flatMap { first in
          candidates.list.filter { $0.command != first.command }.map { first.followed(by: $0) }
        })
    } catch let error as NetworkRehearsalError {
      throw error
    } catch {
      throw NetworkRehearsalError("could not look for repairs: \(error)")
    }
    return repairs
  }

  /// Tries a command in a copy that has not been changed.
  ///
  /// - Parameter silent: The neighbours that did not answer.
  private init(
    trying candidate: RepairCandidates.Candidate, in rehearsal: NetworkRehearsal,
    _ before: ReachabilityStatus,
    silent: Set<ReachabilityAddress>
  ) throws(NetworkRehearsalError) {
    subject = rehearsal.targets[0]
    (command, isAdvice) = (candidate.command, candidate.isAdvice)
    (status, affectedConnections) = (.unknown(.systemError), 0)
    warnings = candidate.warning.map { [$0] } ?? []
    var output: [UInt8] = []
    let end = try rehearsal.run(["sh", "-c", command], in: "/", timeout: .seconds(5)) { output += $0 }
    guard end == .exited(0) else {
      let line = String(decoding: output.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
      doubt = "it fails in the copy" + (line.isEmpty ? "" : ": \(line)")
      return
    }
    let differences = rehearsal.differences()
    affectedConnections = differences.connections.count { $0.outcome != .kept }
    guard let result = differences.targets.first else { return }
    (status, doubt) = (result.after, result.doubt)
    var conditions = [candidate.condition].compactMap(\.self)
    // What is not known of a link before it is up is a condition.
    if let reason = result.doubt, let name = rehearsal.link(withUnknownCarrier: reason) {
      (status, doubt) = (rehearsal.status(of: subject), nil)
      conditions.append("\(name) has a carrier")
    }
    if differences.isOutdated { doubt = "the network of this machine changed meanwhile" }
    guard status.isReachable else { return }
    if let gateway = status.gateway {
      if silent.contains(gateway) { conditions.append("\(gateway) answers, which it did not") }
      if let source = status.source, source.isLinkLocal {
        doubt = "its packets would leave from \(source), and routers do not forward these"
      }
    }
    if let tunnel = before.interface, tunnel.isTunnel, status.interface?.isTunnel == false {
      warnings.append("its packets go past the tunnel \(tunnel.name)")
    }
    condition = conditions.isEmpty ? nil : conditions.joined(separator: ", and ")
  }
}

extension ReachabilityStatus {
  /// Whether a change of the network may help: not against a constraint that cannot be met, or for a name that does not exist.
  fileprivate var isRepairable: Bool {
    switch reason {
    case .interfaceNotFound?, .zoneMissing?, .notUnicast?, .nameNotFound?, .noAddressRecords?,
      .nameResolutionTimedOut?, .nameServerNotConfigured?:
      false
    default: state == .notReachable
    }
  }
}

extension NetworkRehearsal {
  /// The name of the link whose carrier a doubt is about; `nil` for another doubt.
  fileprivate func link(withUnknownCarrier doubt: String) -> String? {
    gaps.first { $0.isAboutCarrier && $0.description == doubt }?.name
  }
}
