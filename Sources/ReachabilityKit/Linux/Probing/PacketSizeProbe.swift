// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import CLibrary
import Netlink
import POSIX

/// The search for the greatest packet that passes to an address that accepted a connection.
///
/// Each packet has a socket of its own, since an ICMP message need not quote enough of a datagram to tell its size.
struct PacketSizeProbe {
  let plan: PacketSizePlan
  let interface: UInt32?

  /// Where a packet belongs whose socket is waited for.
  private struct Place {
    var kind: PacketSizeSurvey.Kind
    var number: Int
  }

  private var survey: PacketSizeSurvey
  private var sockets: [Int: ProbeSocket] = [:]
  private var places: [Int: Place] = [:]

  init(_ plan: PacketSizePlan, interface: UInt32?) {
    self.plan = plan
    self.interface = interface
    survey = PacketSizeSurvey(full: plan.full, family: plan.address.family, roundTrip: plan.roundTrip)
  }

  /// Sends packets until the answers tell, or the time is over; blocks until then.
  mutating func run(_ interruption: Interruption) -> PacketSizeFinding {
    let begin = Moment.now
    var now: Duration { begin.duration(to: .now) }
    while now < plan.timeout, !interruption.isInterrupted {
      for kind in PacketSizeSurvey.Kind.allCases { sendGroup(kind, at: now) }
      guard let deadline = survey.nextDeadline else {
        // A group that could not be sent has ended.
        if survey.isFinished { break }
        continue
      }
      let ready = interruption.wait(for: sockets, forInput: true, min(deadline, plan.timeout) - now)
      for place in ready { receive(place, at: now) }
      survey.endGroups(at: now)
    }
    sockets = [:]
    var finding = PacketSizeFinding(
      address: plan.address, full: plan.full, outcome: survey.outcome, report: survey.report,
      fragment: survey.fragment)
    if SegmentProbe.ports.contains(plan.port), plan.timeout > now {
      finding.confirm {
        SegmentProbe(plan: plan, interface: interface).run(interruption, within: plan.timeout - now)
      }
    }
    return finding
  }

  private mutating func sendGroup(_ kind: PacketSizeSurvey.Kind, at now: Duration) {
    for packet in survey.nextGroup(kind, at: now) {
      let place = places.count
      places[place] = Place(kind: kind, number: packet.number)
      do throws(Errno) {
        let socket = try ProbeSocket.forPacket(kind, plan, interface: interface)
        sockets[place] = socket
        try socket.send(kind, size: packet.size)
      } catch  where error.rawValue == EMSGSIZE {
        // The queue of errors tells the MTU.
        receive(place, at: now)
      } catch {
        sockets[place] = nil
        survey[kind].isPermitted = false
      }
    }
    if !survey[kind].isPermitted { survey.endGroups(at: now) }
  }

  private mutating func receive(_ place: Int, at now: Duration) {
    guard let socket = sockets[place], let packet = places[place] else { return }
    while let reaction = socket.nextReaction(from: plan.address) {
      switch reaction {
      case .answer(let fragment): survey.record(packet.number, packet.kind, fragment: fragment, at: now)
      case .tooBig(let mtu, let reporter):
        survey.record(packet.number, packet.kind, tooBig: mtu, reporter: reporter)
      case .refusal: continue
      }
      sockets[place] = nil
      return
    }
  }
}

extension PacketSizeFinding {
  /// Has a full segment of TCP decide what test packets do not, or deny what they say: programs use TCP.
  fileprivate mutating func confirm(_ segment: () -> SegmentProbe.Result) {
    let isBackLost: Bool
    switch outcome {
    case .passed: return
    case .lost(_, _, let direction): isBackLost = direction == .back
    case .unknown: isBackLost = false
    }
    switch segment() {
    case .passed(isBackFull: true): outcome = .passed(full, isBackTested: true)
    case .passed(isBackFull: false): if !isBackLost { outcome = .passed(full, isBackTested: false) }
    case .lost:
      switch outcome {
      case .lost(let from, let passing, .either): outcome = .lost(from: from, passing: passing, .there)
      case .unknown: outcome = .lost(from: full, passing: greatest, .there)
      case .passed, .lost: break
      }
    case .undecided: break
    }
  }
}
#endif
