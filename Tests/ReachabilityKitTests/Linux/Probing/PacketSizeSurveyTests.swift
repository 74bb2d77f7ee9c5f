// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import TestSupport
import Testing

@testable import ReachabilityKit

/// Both searches together, over invented paths; the test advances the clock.
@Suite(.deadline) struct PacketSizeSurveyTests {
  typealias Kind = PacketSizeSurvey.Kind
  typealias Outcome = PacketSizeFinding.Outcome

  /// A path with a limit for each direction, and a host that answers or not.
  private struct Path {
    var limitThere = Int.max
    var limitBack = Int.max
    var answersDatagrams = true
    var answersEchoes = true
    /// The greatest echo request that a firewall lets pass.
    var greatestEcho = Int.max
    var roundTrip = Duration.milliseconds(10)
    /// The answers to datagrams that are left; there is another one each second.
    var tokens = Int.max / 2
    var loss = 0
    /// The share of the groups of which all but the small packet are lost together, in percent.
    var bursts = 0
    var isInBurst = false
    /// The MTU that a router reports, as often as it does.
    var reports = 0
    var generator = SeededGenerator(seed: 1)

    enum Reply { case answer, tooBig }

    mutating func reply(to size: Int, _ kind: Kind) -> Reply? {
      guard !generator.percent(loss), !isInBurst || size <= PacketSizeSearch.small else { return nil }
      if size > limitThere {
        reports -= 1
        return reports >= 0 ? .tooBig : nil
      }
      switch kind {
      case .datagrams:
        guard answersDatagrams, tokens > 0 else { return nil }
        tokens -= 1
        return .answer
      case .echoes: return answersEchoes && size <= min(limitBack, greatestEcho) ? .answer : nil
      }
    }
  }

  /// Plays two seconds; returns the survey, the time that it took, and the number of packets.
  private func play(
    _ path: inout Path, full: Int = 1500, family: ReachabilityAddress.Family = .v4, mayEcho: Bool = true
  ) -> (survey: PacketSizeSurvey, time: Duration, count: Int) {
    var survey = PacketSizeSurvey(full: full, family: family, roundTrip: path.roundTrip)
    survey[.echoes].isPermitted = mayEcho
    var now = Duration.zero
    var seconds = 0
    var arrivals: [(time: Duration, kind: Kind, number: Int, reply: Path.Reply)] = []
    var count = 0
    while now < .seconds(2), !survey.isFinished {
      if now >= .seconds(seconds + 1) {
        seconds += 1
        path.tokens += 1
      }
      for kind in Kind.allCases {
        path.isInBurst = path.generator.percent(path.bursts)
        for packet in survey.nextGroup(kind, at: now) {
          count += 1
          if let reply = path.reply(to: packet.size, kind) {
            arrivals.append((now + path.roundTrip, kind, packet.number, reply))
          }
        }
      }
      guard let deadline = survey.nextDeadline else { continue }
      if let arrival = arrivals.first, arrival.time <= deadline {
        arrivals.removeFirst()
        now = max(now, arrival.time)
        switch arrival.reply {
        case .answer: survey.record(arrival.number, arrival.kind, at: now)
        case .tooBig:
          survey.record(
            arrival.number, arrival.kind, tooBig: path.limitThere, reporter: "10.1.0.254")
        }
      } else {
        now = deadline
      }
      survey.endGroups(at: now)
    }
    return (survey, now, count)
  }

  @Test(arguments: [1, 10, 100, 300])
  func `full packets that pass take a round trip and four packets`(_ milliseconds: Int) {
    var path = Path(roundTrip: .milliseconds(milliseconds))
    let (survey, time, count) = play(&path)
    #expect(survey.outcome == .passed(1500, isBackTested: true))
    #expect(time == path.roundTrip && count == 4)
  }

  @Test func `a host that ignores echo requests costs half a round trip more`() {
    var path = Path(answersEchoes: false, roundTrip: .milliseconds(100))
    let (survey, time, count) = play(&path)
    #expect(survey.outcome == .passed(1500, isBackTested: false))
    #expect(time == .milliseconds(150) && count == 4)
  }

  @Test(arguments: [1400, 1412, 1492, 1280], [ReachabilityAddress.Family.v4, .v6])
  func `the direction in which packets vanish is known by both kinds`(
    limit: Int, family: ReachabilityAddress.Family
  ) {
    let cases: [(Path, PacketSizeFinding.Direction)] = [
      (Path(limitThere: limit), .there), (Path(limitBack: limit), .back),
      (Path(limitThere: limit, limitBack: limit), .there),
      (Path(limitThere: limit, answersDatagrams: false), .either),
      (Path(limitBack: limit, answersDatagrams: false), .either),
    ]
    for (path, direction) in cases {
      var path = path
      let (survey, time, count) = play(&path, family: family)
      #expect(survey.outcome == .lost(from: limit + 1, passing: limit, direction), "\(path)")
      #expect(time < .milliseconds(600) && count <= PacketSizeSurvey.packetLimit, "\(path): \(time)")
    }
  }

  @Test func `datagrams alone find what vanishes on the path`() {
    for mayEcho in [true, false] {
      var path = Path(limitThere: 1400, answersEchoes: false)
      let survey = play(&path, mayEcho: mayEcho).survey
      #expect(survey.outcome == .lost(from: 1401, passing: 1400, .there))
    }
  }

  @Test func `the direction costs datagrams no more than their usual limit`() {
    var path = Path(limitThere: 1400, tokens: 6)
    #expect(play(&path).survey.outcome == .lost(from: 1401, passing: 1400, .there))
  }

  @Test(arguments: [1492, 1454, 1412, 1400, 1380, 1280], [6, 7])
  func `datagrams alone find usual limits although their answers are limited`(limit: Int, tokens: Int) {
    var path = Path(limitThere: limit, roundTrip: .milliseconds(1), tokens: tokens)
    let survey = play(&path, mayEcho: false).survey
    guard case .lost(let from, let passing?, .there) = survey.outcome else {
      Issue.record("\(survey.outcome)")
      return
    }
    #expect(passing <= limit && limit < from)
  }

  @Test func `silence is no finding`() {
    var path = Path(limitThere: 0)
    let (survey, time, _) = play(&path)
    #expect(survey.outcome == .unknown(.silent(mayEcho: true)))
    #expect(time < .milliseconds(300))
    #expect(play(&path, mayEcho: false).survey.outcome == .unknown(.silent(mayEcho: false)))
  }

  @Test func `a firewall that drops large echo requests is no limit of the path`() {
    var path = Path(greatestEcho: 1024)
    #expect(play(&path).survey.outcome == .passed(1500, isBackTested: false))
    path.answersDatagrams = false
    #expect(play(&path).survey.outcome == .unknown(.filtered))
  }

  @Test func `one report of a router is enough for both kinds`() {
    for reports in 1...4 {
      var path = Path(limitThere: 1400, reports: reports)
      let survey = play(&path).survey
      #expect(survey.outcome == .passed(1400, isBackTested: true), "\(reports)")
      #expect(survey.report?.mtu == 1400 && survey.report?.reporter == "10.1.0.254")
    }
  }

  @Test func `a machine that sends no test packets says so`() {
    var survey = PacketSizeSurvey(full: 1500, family: .v4, roundTrip: .zero)
    for kind in Kind.allCases {
      survey[kind].isPermitted = false
      #expect(survey.nextGroup(kind, at: .zero).isEmpty)
    }
    #expect(survey.isFinished && survey.outcome == .unknown(.notSent))
  }

  @Test func `random losses and limits never accuse a healthy path`() {
    var accused: [UInt64] = []
    for seed in 0..<5_000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      var path = Path(
        answersDatagrams: generator.percent(80), answersEchoes: generator.percent(80),
        roundTrip: .milliseconds(generator.number(1..<300)), tokens: generator.number(0..<12),
        loss: generator.number(0..<21), generator: generator)
      let (survey, time, count) = play(&path, family: generator.percent(50) ? .v4 : .v6)
      if case .lost = survey.outcome { accused.append(seed) }
      #expect(time <= .seconds(3) && count <= PacketSizeSurvey.packetLimit)
    }
    #expect(accused == [])
  }

  @Test(arguments: [(loss: 28, bursts: 0), (loss: 0, bursts: 15), (loss: 20, bursts: 5)])
  func `of ten thousand healthy paths that lose much, one at most is accused`(loss: Int, bursts: Int) {
    var accused = 0
    for seed in 0..<10_000 as Range<UInt64> {
      var path = Path(
        roundTrip: .milliseconds(1), loss: loss, bursts: bursts, generator: SeededGenerator(seed: seed))
      if case .lost = play(&path, family: .v6).survey.outcome { accused += 1 }
    }
    #expect(accused <= 1)
  }

  @Test func `whatever is lost, no size is reported that does not pass`() {
    for seed in 0..<5_000 as Range<UInt64> {
      var generator = SeededGenerator(seed: seed)
      let limit = generator.number(1280..<1500)
      let isBack = generator.percent(50)
      var path = Path(
        limitThere: isBack ? .max : limit, limitBack: isBack ? limit : .max,
        answersDatagrams: generator.percent(80), answersEchoes: isBack || generator.percent(80),
        roundTrip: .milliseconds(generator.number(1..<200)), tokens: generator.number(2..<12),
        loss: generator.number(0..<16), generator: generator)
      switch play(&path).survey.outcome {
      case .passed(let size, isBackTested: true): #expect(size <= limit, "seed \(seed)")
      case .passed(let size, isBackTested: false): #expect(isBack || size <= limit, "seed \(seed)")
      case .lost(let from, let passing, _):
        #expect(passing ?? 0 <= limit && from > passing ?? 0, "seed \(seed)")
      case .unknown(.undecided(let passing)): #expect(isBack || passing ?? 0 <= limit, "seed \(seed)")
      case .unknown: break
      }
    }
  }
}
