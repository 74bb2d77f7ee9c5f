// SPDX-License-Identifier: Apache-2.0
import CRandomTraffic
import Foundation
import InternetProtocol
import ReachabilityKit

/// What is wrong with an answer, or notable.
enum Finding: String, CaseIterable {
  case contradiction = "stalled, and a segment was received in that time"
  case falseStrong = "strong stall without a cut"
  case falseWeak = "weak stall without a cut"
  case wrongFault = "wrong fault"
  case wrongMTU = "path MTU suspected without a black hole"
  case missed = "cut not reported"
  case late = "cut reported late"
  case lateEnd = "stall reported after its end"
  case notLeftBehind = "connections left behind by a failover not reported"
  case falselyLeftBehind = "connections left behind without a failover"
  case notLocal = "drops of this machine not reported"
  case falselyLocal = "this machine at fault without drops of it"
  case obstacle = "traffic not read"
  // What the kernel's list cannot show.
  case interruption = "stalled while nothing arrived, since the round trip grew to 0.8 s or more"
  case closed = "stalled, and a connection that was closed since received something"
  case repeated = "stalled, and repeated segments were received, which the kernel does not count"
  case silentServer = "stalled, and the server's system did not answer what it received"

  /// Whether the run fails.
  var isFailure: Bool {
    [.contradiction, .falseStrong, .falselyLeftBehind, .falselyLocal, .obstacle].contains(self)
  }
}

/// Compares the product's answers in a scenario with the relay's record.
struct Judge {
  /// The kernel's and this program's resolution.
  private static let tolerance: Int64 = 20_000_000
  /// How late answers may be on a busy machine.
  private static let scheduling: Int64 = 150_000_000
  private static let second: Int64 = 1_000_000_000

  private let number: Int
  private let scenario: Scenario
  private let player: Player
  private let record: Record
  private let polls: [Desk.Poll]
  private(set) var result: Result

  struct Result {
    var kind: Scenario.Kind
    var answers = 0
    var stalls = 0
    var findings: [(finding: Finding, text: String, cause: String)] = []
    /// From the first unanswered segment to the first answer *stalled*, in nanoseconds, of each cut and subject.
    var detections: [Int64] = []
    /// Those with a retransmission timeout that lets the second one expire within a second.
    var quickDetections: [Int64] = []
    /// Those of connections without a history of rare losses.
    var lossyDetections: [Int64] = []
    /// From the first received segment after a cut to the first other answer.
    var ends: [Int64] = []
    var cuts = 0
    /// Whether there was a black hole for long enough, and whether it was named.
    var hadBlackHole = false
    var namedBlackHole = false
    var lag: Int64
    var packets: Int
  }

  init(_ world: World, _ player: Player, _ polls: [Desk.Poll]) {
    number = world.number
    scenario = player.scenario
    record = world.record
    self.player = player
    self.polls = polls
    result = Result(kind: scenario.kind, lag: record.lag, packets: record.packets)
    for poll in polls {
      for (question, evidence) in poll.answers { judge(evidence, about: question, poll) }
    }
    for question in scenario.questions {
      judgeCut(question)
    }
    judgeBlackHole()
    judgeFailover()
    judgeLocalDrop()
  }

  private mutating func note(_ finding: Finding, _ text: String, cause: String = "") {
    result.findings.append((finding, text, cause))
  }

  private func time(_ moment: Int64) -> String { "\((moment - player.begin) / 1_000_000) ms" }

  private func slots(of question: Desk.Question) -> [Int] { record.peers.keys.filter(question.covers) }

  private func describe(_ evidence: TrafficEvidence, _ question: Desk.Question, _ poll: Desk.Poll) -> String {
    let subject =
      switch question {
      case .defaultRoute: "default route"
      case .peer(let slot): "\(Peer(slot: slot).address(in: number))"
      case .interface(let family): "tun \(family.map { "\($0)" } ?? "")"
      }
    let stalls = evidence.ownStalledConnections.prefix(3).map {
      "\($0.peer):\($0.port) \(milliseconds($0.duration)) \($0.timeouts)x"
    }
    return """
      \(time(poll.start)) \(subject): \(evidence.verdict) \(evidence.strength) \
      \(evidence.fault.map { "\($0) " } ?? "")stalled \(evidence.stalled.map(milliseconds) ?? "-") \
      received \(evidence.received.map(milliseconds) ?? "-") answering \(evidence.answeringPeers) \
      stalling \(evidence.stalledPeers) of \(evidence.connections) \(stalls.joined(separator: ", "))
      """
  }

  private func milliseconds(_ duration: Duration) -> String { "\(Int(duration / .milliseconds(1))) ms" }

  // MARK: One answer

  private mutating func judge(_ evidence: TrafficEvidence, about question: Desk.Question, _ poll: Desk.Poll) {
    result.answers += 1
    if let obstacle = evidence.obstacle { note(.obstacle, "\(obstacle.rawValue)") }
    if evidence.verdict == .stalled, let stalled = evidence.stalled {
      result.stalls += 1
      judgeStall(evidence, Int64(stalled / .nanoseconds(1)), question, poll)
    }
    if let fault = evidence.fault { judge(fault, evidence, question, poll) }
    if evidence.leftBehind != nil, player.failover.map({ $0 > poll.end }) ?? true {
      note(.falselyLeftBehind, describe(evidence, question, poll))
    }
    if evidence.fault == .thisMachine, player.droppedHere.map({ $0 > poll.end }) ?? true {
      note(.falselyLocal, describe(evidence, question, poll), cause: cause(question, poll.start))
    }
    if evidence.suspectedMTU != nil {
      let drops = slots(of: question).contains { slot in
        record.peers[slot]?.oversized.contains { $0 <= poll.end } == true
      }
      if drops {
        result.namedBlackHole = true
      } else {
        note(.wrongMTU, describe(evidence, question, poll), cause: cause(question, poll.start))
      }
    }
  }

  private mutating func judgeStall(
    _ evidence: TrafficEvidence, _ age: Int64, _ question: Desk.Question, _ poll: Desk.Poll
  ) {
    let span =
      poll.end - age + Self.tolerance..<max(poll.start - Self.tolerance, poll.end - age + Self.tolerance + 1)
    let members = slots(of: question)
    let deliveries = members.flatMap { slot in
      record.peers[slot].map { $0.deliveries.filter { span.contains($0.time) } } ?? []
    }
    func isClosed(_ delivery: Record.Delivery) -> Bool {
      record.flows[delivery.flow]?.closed.map { $0 <= poll.end } ?? false
    }
    let text = describe(evidence, question, poll)
    if let delivery = deliveries.first(where: { $0.isNew && !isClosed($0) }) {
      let slot = Peer(slot: Int(delivery.flow >> 32)).address(in: number)
      note(
        .contradiction,
        "\(text); received at \(time(delivery.time)) from \(slot) port \(delivery.flow >> 16 & 0xffff); listed: "
          + poll.connections.joined(separator: ", "),
        cause: cause(question, span.lowerBound))
    } else if deliveries.contains(where: { $0.isNew }) {
      note(.closed, text)
    } else if deliveries.contains(where: { !isClosed($0) }) {
      note(.repeated, text)
    }
    guard !isJustified(members, span) else { return }
    let isServerSilent = members.contains { slot in
      guard let peer = record.peers[slot] else { return false }
      return peer.forwarded.count { span.contains($0) } >= 2 && !peer.answered.contains { span.contains($0) }
    }
    if isServerSilent { return note(.silentServer, text) }
    let cause = cause(question, span.lowerBound)
    if cause == Self.longJump { return note(.interruption, text) }
    note(evidence.strength == .strong ? .falseStrong : .falseWeak, text, cause: cause)
  }

  private static let longJump = "round trip jumps to 0.8 s or more"

  /// Whether packets of some of the peers were dropped by rule in this time.
  private func isJustified(_ members: [Int], _ span: Range<Int64>) -> Bool {
    if members.contains(where: scenario.deadPeers.contains) { return true }
    if let dropped = player.droppedHere, dropped < span.upperBound { return true }
    guard let cut = player.cut, cut < span.upperBound, (player.healed ?? .max) >= span.lowerBound else {
      return false
    }
    if scenario.kind == .blackHole {
      return members.contains { record.peers[$0]?.oversized.contains { $0 < span.upperBound } == true }
    }
    return members.contains(where: scenario.affected.contains)
  }

  /// The likely cause of a false answer.
  private func cause(_ question: Desk.Question, _ since: Int64) -> String {
    if let jump = player.jumps.first, jump < since + 3 * Self.second {
      return scenario.jump >= 800 ? Self.longJump : "round trip jumps to less than 0.8 s"
    }
    let lost = slots(of: question).contains { slot in
      record.peers[slot]?.losses.contains { $0 > since - 3 * Self.second } == true
    }
    if lost {
      let percent = Int((scenario.loss * 100).rounded(.up))
      return percent <= 2 ? "loss up to 2 %" : percent <= 5 ? "loss up to 5 %" : "loss up to 10 %"
    }
    if record.lag > 100_000_000 { return "this machine is busy" }
    return "none"
  }

  private mutating func judge(
    _ fault: TrafficEvidence.Fault, _ evidence: TrafficEvidence, _ question: Desk.Question, _ poll: Desk.Poll
  ) {
    let ages = evidence.ownStalledConnections.map { Int64($0.duration / .nanoseconds(1)) }
    guard let oldest = ages.max() else { return }
    /// A connection that the client closed is listed until the other end has closed as well.
    func answered(after moment: Int64, before end: Int64, includingClosed: Bool) -> Bool {
      record.peers.contains { slot, peer in
        question.sharesPath(with: slot)
          && peer.deliveries.contains { delivery in
            delivery.isNew && delivery.time > moment && delivery.time < end
              && (includingClosed || record.flows[delivery.flow]?.closed.map { $0 <= poll.end } != true)
          }
      }
    }
    switch fault {
    case .network
    where answered(
      after: poll.end - (ages.min() ?? oldest) + Self.second + Self.tolerance,
      before: poll.start - Self.tolerance,
      includingClosed: false):
      note(.wrongFault, describe(evidence, question, poll), cause: "network, and a peer answered")
    case .peer
    where !answered(after: poll.start - oldest - Self.tolerance, before: poll.end, includingClosed: true):
      note(.wrongFault, describe(evidence, question, poll), cause: "peer, and none answered")
    case .connection:
      let peers = Set(evidence.ownStalledConnections.map(\.peer))
      let answers = record.peers.contains { slot, peer in
        peers.contains(Peer(slot: slot).address(in: number))
          && peer.deliveries.contains {
            $0.isNew && $0.time > poll.start - oldest - Self.tolerance && $0.time < poll.end
          }
      }
      if !answers {
        note(
          .wrongFault, describe(evidence, question, poll), cause: "connection, and the peer did not answer")
      }
    default: break
    }
  }

  // MARK: Cuts

  private mutating func judgeCut(_ question: Desk.Question) {
    guard scenario.kind.isCut, let cut = player.cut else { return }
    let members = Set(slots(of: question)).subtracting(scenario.deadPeers)
    guard !members.isEmpty, members.isSubset(of: scenario.affected) else { return }
    let end = player.healed ?? .max
    // A peer that never answers may have been reported before.
    guard !slots(of: question).contains(where: scenario.deadPeers.contains) else { return }
    let flows = record.flows.values.filter {
      members.contains($0.slot) && $0.firstInCut != nil && $0.timeout != nil
        && $0.closed.map { $0 >= end } != false
    }
    // A tail loss probe may precede the timeouts, which double. Unless losses are known to be rare, two do not suffice.
    // The kernel forgets the losses of closed connections.
    let onPath = record.flows.values.filter {
      question.sharesPath(with: $0.slot) && $0.timeout != nil && $0.closed.map { $0 >= end } != false
    }
    let limit = necessaryTimeouts(onPath.map { $0.losses }, isWhole: true)
    let sent = flows.compactMap { flow in
      flow.firstInCut.flatMap { first in
        flow.timeout.map { timeout in
          let limit = max(limit, necessaryTimeouts([flow.losses], isWhole: false))
          // 4, 8 and 16 quarters until the second, third and fourth one expires, and one of reserve before.
          let quarters: Int64 = 1 + 4 << Int64(limit)
          return (
            first: first, timeout: timeout, isLossy: limit > 2,
            due: first + max(Self.second, quarters * timeout / 4)
          )
        }
      }
    }
    guard let first = sent.map(\.first).min(), let quickest = sent.min(by: { $0.due < $1.due }) else {
      return
    }
    let due = quickest.due
    // What arrives although it is cut, or was on its way, ends the stall.
    let last = members.flatMap {
      record.peers[$0]?.deliveries.filter { $0.isNew && $0.time < end }.map(\.time) ?? []
    }
    .max()
    let isExcused = last.map { $0 > quickest.first + min(quickest.timeout, Self.second) } ?? false
    let answers = polls.filter { $0.start > cut && $0.start < end }.compactMap { poll in
      poll.answers.first { $0.question == question }.map { (poll.start, $0.evidence.verdict) }
    }
    let stalled = answers.first { $0.0 > first && $0.1 == .stalled }?.0
    if !isExcused {
      let dueAnswers = answers.filter { $0.0 > due + Self.scheduling }
      if let dueAnswer = dueAnswers.first {
        result.cuts += 1
        let text = """
          first segment \(time(first)), due \(time(due)), timeout \(quickest.timeout / 1_000_000) ms\(quickest.isLossy ? " and lossy" : ""), \
          answer at \(time(dueAnswer.0)), last received \(last.map(time) ?? "-"); \(question)
          """
        if stalled == nil {
          note(.missed, text)
        } else if dueAnswer.1 != .stalled {
          note(.late, text)
        }
      }
      if let stalled {
        result.detections.append(stalled - first)
        if quickest.isLossy {
          result.lossyDetections.append(stalled - first)
        } else if 4 * quickest.timeout <= Self.second {
          result.quickDetections.append(stalled - first)
        }
      }
    }
    guard let healed = player.healed, stalled != nil else { return }
    let news = members.flatMap { slot in
      (record.peers[slot]?.deliveries ?? []).filter { delivery in
        delivery.isNew && delivery.time >= healed && record.flows[delivery.flow]?.closed == nil
      }.map(\.time)
    }
    guard let news = news.min() else { return }
    for poll in polls where poll.start > news + Self.tolerance {
      guard let answer = poll.answers.first(where: { $0.question == question }) else { continue }
      if answer.evidence.verdict == .stalled {
        note(.lateEnd, describe(answer.evidence, question, poll) + "; received at \(time(news))")
      } else {
        result.ends.append(poll.start - news)
      }
      break
    }
  }

  /// The number of timeouts after which the product reports a stall, at most.
  ///
  /// The stall that follows may take a loss for its own, or lose one more, so the limits leave some room.
  private func necessaryTimeouts(_ losses: [traffic_losses], isWhole: Bool) -> Int {
    let (sent, lost) = losses.reduce((0, 0)) { ($0.0 + Int($1.sent), $0.1 + Int($1.lost)) }
    if lost * 22 >= max(sent, 36) { return 4 }
    return lost > 0 && lost * 110 >= sent || isWhole && sent < 42 ? 3 : 2
  }

  /// Whether a connection by the router sends so often that two or three timeouts are due within two seconds.
  private var hasQuickExchanges: Bool {
    scenario.connections.contains { connection in
      guard case .exchange(_, 100, 100, 0) = connection.behaviour else { return false }
      let slot = connection.slot
      return !Peer(slot: slot).isOnLink && scenario.rules[slot].map { $0.delay <= 20_000_000 } == true
    }
  }

  /// Connections that send often stall on the new path, and are reported as left behind.
  private mutating func judgeFailover() {
    guard let failover = player.failover, scenario.loss == 0 else { return }
    let last = polls.last { $0.start > failover + 5 * Self.second / 2 }
    guard hasQuickExchanges, let last,
      let evidence = last.answers.first(where: { $0.question == .defaultRoute })?.evidence
    else { return }
    result.cuts += 1
    if evidence.leftBehind == nil { note(.notLeftBehind, describe(evidence, .defaultRoute, last)) }
  }

  /// Connections that send often are held back, and name this machine.
  private mutating func judgeLocalDrop() {
    guard let dropped = player.droppedHere, scenario.loss == 0, scenario.deadPeers.isEmpty else { return }
    let last = polls.last { $0.start > dropped + 5 * Self.second / 2 }
    guard hasQuickExchanges, let last,
      let evidence = last.answers.first(where: { $0.question == .defaultRoute })?.evidence
    else { return }
    result.cuts += 1
    if evidence.fault != .thisMachine { note(.notLocal, describe(evidence, .defaultRoute, last)) }
  }

  private mutating func judgeBlackHole() {
    guard scenario.kind == .blackHole else { return }
    let first = scenario.affected.compactMap { record.peers[$0]?.oversized.first }.min()
    let last = player.healed ?? polls.last?.start ?? 0
    result.hadBlackHole = first.map { last - $0 > 3 * Self.second } ?? false
  }
}
