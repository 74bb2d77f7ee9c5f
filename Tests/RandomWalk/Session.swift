// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// A difference between the library's answer and another one.
struct Disagreement: Error {
  enum Kind: Equatable {
    /// The library's answer differs from iproute2.
    case oracle
    /// The library's answer differs from a socket.
    case socket
    /// The library's answer differs from the arrival of packets.
    case packets
    /// The last event of an observer differs from a new query.
    case observer
    /// The events of an observer do not follow from each other.
    case events
  }

  var kind: Kind
  var inquiry: Inquiry
  /// The answers of both sides, and the questions.
  var lines: [String]

  /// Whether both are about the same kind and target.
  func isLike(_ other: Disagreement) -> Bool { kind == other.kind && inquiry == other.inquiry }
}

/// A lab with observers, in which steps are performed and statuses compared.
final class Session {
  let lab: Lab
  private let watchers: Watchers
  var tally: Tally
  /// Whether to print what happens.
  let isVerbose: Bool

  /// The longest duration of a difference, while nothing changes.
  private let settlingLimit: Duration

  /// - Parameter number: The lab's number; every other lab filters announcements of unrelated routes.
  init(
    _ number: Int, setup: [Step] = Lab.setup, tally: Tally = Tally(), settlingLimit: Duration = .seconds(3),
    isVerbose: Bool = false
  ) throws {
    lab = try Lab(
      setup, unrelatedRouteLimit: number % 2 == 0 ? 0 : .max, perspective: Perspective(lab: number, .here))
    self.tally = tally
    self.settlingLimit = settlingLimit
    self.isVerbose = isVerbose
    watchers = Watchers(lab.monitor, Targets.watched)
  }

  deinit {
    watchers.cancel()
  }

  func perform(_ step: Step) throws {
    let refusals = try lab.perform(step)
    tally.steps += 1
    tally.commands += step.commands.count
    tally.refusals += refusals.count
    guard isVerbose else { return }
    for command in step.commands {
      let refusal = refusals.first { $0.command == command }.map { "   # \($0.refusal)" } ?? ""
      say("  \(command.line)\(refusal)")
    }
  }

  // MARK: Observers

  /// Waits until all observers have the present statuses.
  func settle() throws {
    let start = SuspendingClock.now
    let delays = watchers.settle(Targets.watched, of: lab.monitor, within: settlingLimit)
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
    if let delay = delays.first {
      throw Disagreement(
        kind: .observer, inquiry: Inquiry(delay.target),
        lines: [
          "delivered last: \(delay.delivered.map(Self.describe) ?? "nothing")",
          "queried now:    \(Self.describe(delay.present))",
        ])
    }
    if let problem = watchers.problems.first {
      throw Disagreement(kind: .events, inquiry: Inquiry(problem.target), lines: [problem.text])
    }
    let delivered = watchers.takeDelivered()
    for (target, statuses) in delivered where statuses.count > 1 {
      tally.events += statuses.count - 1
      if isVerbose, statuses.count > 2 {
        say("    \(target): \(statuses.map(Self.describe).joined(separator: " -> "))")
      }
    }
  }

  // MARK: Questions

  /// Compares the library's statuses with iproute2, with sockets, and with the arrival of packets.
  func compare(_ inquiries: [Inquiry]) throws {
    tally.comparisons += inquiries.count
    // A program in a user namespace queries as its user.
    let inquiries = inquiries.map { inquiry in
      var inquiry = inquiry
      if lab.perspective == .mapped {
        inquiry.userID = Perspective.mappedUser
        // Its sockets have no mark.
        inquiry.target.mark = nil
      }
      if lab.perspective == .withoutIPv6 { inquiry.userID = 0 }
      return inquiry
    }
    let start = SuspendingClock.now
    var differing = try differences(inquiries)
    guard !differing.isEmpty else { return }
    tally.late += differing.count
    if isVerbose {
      for difference in differing {
        say("    late? \(difference.inquiry.text): \(difference.lines.joined(separator: "; "))")
      }
    }
    var limit = QuietLimit(settlingLimit)
    while !differing.isEmpty {
      if limit.isReached { throw differing[0] }
      limit.update(afterEvent: watchers.waitForEvent())
      differing = try differences(differing.map(\.inquiry))
    }
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
  }

  private func differences(_ inquiries: [Inquiry]) throws -> [Disagreement] {
    let before = try lab.respondent.statuses(of: inquiries, in: lab)
    let evidence = try Evidence(about: inquiries, in: lab)
    let after = try lab.respondent.statuses(of: inquiries, in: lab)
    var found: [Disagreement] = []
    for (position, inquiry) in inquiries.enumerated() {
      let ours = after[position]
      let others = Oracle.statuses(of: inquiry, evidence)
      let isExpected =
        Oracle.isExpected(ours, among: others) || (!ours.isReachable && Oracle(evidence).hidesSource(inquiry))
      tally.states[ours.reason?.rawValue ?? ours.state.rawValue, default: 0] += 1
      let socket = evidence.socket(inquiry)
      let delivery = evidence.delivery(inquiry)
      let complaint = complaint(about: ours, of: inquiry, evidence, hasSeveralHops: others.count > 1)
      // If the network changed in between, neither side is wrong.
      let kind: Disagreement.Kind? = before[position] != ours || !isExpected ? .oracle : complaint?.kind
      guard let kind else { continue }
      let lines = [
        "ours:     \(Self.describe(ours))",
        "iproute2: \(Set(others.map(Self.describe)).sorted().joined(separator: ", or "))",
        "socket:   \(socket?.text ?? "none connected")",
        "packets:  \(delivery?.text(evidence.snapshot) ?? "none sent")",
      ]
      found.append(
        Disagreement(
          kind: kind, inquiry: inquiry,
          lines: lines + [complaint?.text].compactMap(\.self) + evidence.transcript(inquiry)))
    }
    return found
  }

  /// Returns what contradicts a status according to sockets and packets.
  private func complaint(
    about ours: ReachabilityStatus, of inquiry: Inquiry, _ evidence: Evidence, hasSeveralHops: Bool
  ) -> (kind: Disagreement.Kind, text: String)? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    let isComparable = ours.isReachable || !Oracle(evidence).needsSocket(inquiry)
    let question = Question(address, with: inquiry)
    if let socket = evidence.socket(inquiry) {
      tally.sockets += 1
      let text = socket.complaint(about: ours, of: inquiry.target, hasSeveralHops)
      // The kernel may share a next hop of a multicast route with others, and TCP cannot connect through it.
      let isKept = question.transport == .tcp && evidence.plain(question)?.route?.type == "multicast"
      if isComparable, !isKept, let text { return (.socket, text) }
    }
    if let delivery = evidence.delivery(inquiry) {
      tally.packets += delivery.connected.accepted + delivery.unconnected.accepted
      let text = delivery.complaint(about: ours, of: question, evidence)
      if isComparable, let text { return (.packets, text) }
    }
    return nil
  }

  static func describe(_ status: ReachabilityStatus) -> String {
    let names = status.flags.names
    return "\(status)" + (names.isEmpty ? "" : " [\(names.joined(separator: " "))]")
      + (status.interface.map { " #\($0.index)" } ?? "")
  }
}
