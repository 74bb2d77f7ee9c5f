#if os(Linux)
import InternetProtocol
import LiveSupport
import ReachabilityKit

/// Where our word and another one differ.
struct Disagreement: Error {
  enum Kind: Equatable {
    /// What we say when asked is not what iproute2 says.
    case oracle
    /// What we say when asked is not what the kernel makes of a socket.
    case socket
    /// What we say when asked is not where packets arrive.
    case packets
    /// What an observer was told last is not what we say when asked.
    case observer
    /// The events of an observer don't follow from each other.
    case events
  }

  var kind: Kind
  var inquiry: Inquiry
  /// What each side says, and what it was asked.
  var lines: [String]

  /// Whether this is about the same as another one.
  func isLike(_ other: Disagreement) -> Bool { kind == other.kind && inquiry == other.inquiry }
}

/// A lab with observers, in which steps are made and statuses compared.
final class Session {
  let lab: Lab
  private let watchers: Watchers
  var tally: Tally
  /// Whether to print what happens.
  let isVerbose: Bool

  /// How long the sides may differ at most.
  private let patience: Duration

  /// - Parameter number: The lab's number: in every other one, observers hear at once only of routes that matter.
  init(
    _ number: Int, setup: [Step] = Lab.setup, tally: Tally = Tally(), patience: Duration = .seconds(3),
    isVerbose: Bool = false
  ) throws {
    lab = try Lab(
      setup, unrelatedRouteLimit: number % 2 == 0 ? 0 : .max, perspective: Perspective(lab: number, .here))
    self.tally = tally
    self.patience = patience
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

  /// Waits until all observers know what is so now.
  func settle() throws {
    let start = SuspendingClock.now
    let delays = watchers.settle(within: patience)
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
    if let delay = delays.first {
      throw Disagreement(
        kind: .observer, inquiry: Inquiry(delay.target),
        lines: [
          "told last:     \(delay.told.map(Self.describe) ?? "nothing")",
          "asked freshly: \(Self.describe(delay.present))",
        ])
    }
    if let problem = watchers.problems.first {
      throw Disagreement(kind: .events, inquiry: Inquiry(problem.target), lines: [problem.text])
    }
    let told = watchers.takeTold()
    for (target, statuses) in told where statuses.count > 1 {
      tally.events += statuses.count - 1
      if isVerbose, statuses.count > 2 {
        say("    \(target): \(statuses.map(Self.describe).joined(separator: " -> "))")
      }
    }
  }

  // MARK: Questions

  /// Compares what we say of targets with what iproute2 and sockets say, and with where packets arrive.
  func compare(_ inquiries: [Inquiry]) throws {
    tally.comparisons += inquiries.count
    // A program in a user namespace asks as its own user.
    let inquiries = inquiries.map { inquiry in
      var inquiry = inquiry
      if lab.perspective == .mapped {
        inquiry.userID = Perspective.mappedUser
        // Its sockets bear no mark.
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
    while !differing.isEmpty {
      if start.duration(to: .now) > patience { throw differing[0] }
      watchers.waitForNews()
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
      let complaint = complaint(about: ours, of: inquiry, evidence, hasSeveralWays: others.count > 1)
      // When the network changed meanwhile, neither side is wrong.
      let kind: Disagreement.Kind? = before[position] != ours || !isExpected ? .oracle : complaint?.kind
      guard let kind else { continue }
      let lines = [
        "ours:     \(Self.describe(ours))",
        "iproute2: \(Set(others.map(Self.describe)).sorted().joined(separator: ", or "))",
        "socket:   \(socket?.text ?? "not asked")",
        "packets:  \(delivery?.text(evidence.snapshot) ?? "none sent")",
      ]
      found.append(
        Disagreement(
          kind: kind, inquiry: inquiry,
          lines: lines + [complaint?.text].compactMap(\.self) + evidence.transcript(inquiry)))
    }
    return found
  }

  /// What sockets and packets have against a status.
  private func complaint(
    about ours: ReachabilityStatus, of inquiry: Inquiry, _ evidence: Evidence, hasSeveralWays: Bool
  ) -> (kind: Disagreement.Kind, text: String)? {
    guard case .address(let address) = inquiry.target.destination else { return nil }
    let isAsked = ours.isReachable || !Oracle(evidence).isBeyondAsking(inquiry)
    let question = Question(address, with: inquiry)
    if let socket = evidence.socket(inquiry) {
      tally.sockets += 1
      let text = socket.complaint(about: ours, of: inquiry.target, hasSeveralWays)
      // The kernel may keep a next hop of a multicast route for others, by which TCP does not connect.
      let isKept = question.transport == .tcp && evidence.plain(question)?.route?.type == "multicast"
      if isAsked, !isKept, let text { return (.socket, text) }
    }
    if let delivery = evidence.delivery(inquiry) {
      tally.packets += delivery.connected.accepted + delivery.unconnected.accepted
      let text = delivery.complaint(about: ours, of: question, evidence)
      if isAsked, let text { return (.packets, text) }
    }
    return nil
  }

  static func describe(_ status: ReachabilityStatus) -> String {
    let names = status.flags.names
    return "\(status)" + (names.isEmpty ? "" : " [\(names.joined(separator: " "))]")
      + (status.interface.map { " #\($0.index)" } ?? "")
  }
}
#endif
