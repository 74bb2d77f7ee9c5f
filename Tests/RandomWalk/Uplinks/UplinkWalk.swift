// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// A random walk whose only judge is the arrival of packets.
///
/// After each event, and while the kernel's timers of neighbours run, programs' packets are sent to targets and awaited at
/// both far ends. What the observers hold must be what a new query returns, and that must be what the packets do.
struct UplinkWalk {
  let options: WalkSearch
  private(set) var tally = Tally()
  /// The targets with a disagreement, if the walk continues after one.
  private var ignored: Set<ReachabilityTarget> = []
  private static let stepsPerLab = 250
  private static let limit = Duration.seconds(4)

  static let targets: [ReachabilityTarget] = {
    func target(
      _ text: ReachabilityAddress, _ transport: ReachabilityTarget.Transport?,
      from source: ReachabilityAddress? = nil
    )
      -> ReachabilityTarget
    {
      ReachabilityTarget(.address(text), source: source, transport: transport)
    }
    return [
      target("10.9.0.1", nil), target("10.9.0.1", .udp), target("fd00:9::1", nil), target("fd00:9::1", .udp),
      target("10.50.0.1", .udp), target("10.50.0.1", nil), target("10.9.0.1", .udp, from: "10.77.0.1"),
      target("fd00:9::1", .udp, from: "fd00:77::1"), target("10.1.0.255", .tcp), target("224.0.0.251", .tcp),
      target("ff0e::1", .tcp), target("10.1.0.254", nil), target("fd00:2::fe", .udp),
    ]
  }()

  /// The host whose name servers are behind the uplinks, its address, and a name server as a target.
  private static let names = try? (
    host: ReachabilityTarget.host(ReachabilityTarget.HostName("a.test")), address: targets[0],
    server: ReachabilityTarget(.address("10.9.0.53"), transport: .udp, port: 53)
  )

  init(_ options: WalkSearch) { self.options = options }

  /// Walks; returns the text of a disagreement, or `nil`.
  mutating func run() throws -> String? {
    let start = SuspendingClock.now
    var progress = Pace(every: .seconds(60))
    var number = options.lab
    while !options.isOver(tally.steps, since: start) {
      let lab = try UplinkLab()
      let watchers = Watchers(lab.monitor, Self.targets)
      let hosts = Watchers(lab.monitor, UplinkLab.hasNames ? [Self.names?.host].compactMap(\.self) : [])
      defer {
        watchers.cancel()
        hosts.cancel()
      }
      let seed = options.seed(ofLab: number)
      var steps = UplinkSteps(random: SeededGenerator(seed: seed))
      var random = SeededGenerator(seed: seed &+ 1)
      for step in 1...Self.stepsPerLab where !options.isOver(tally.steps, since: start) {
        tally.steps += 1
        try perform(steps.next(), in: lab)
        var disagreement = settle(watchers, in: lab)
        let isOfObserver = disagreement != nil
        for _ in 0..<2 where disagreement == nil {
          let target = random.pick(Self.targets)
          guard !ignored.contains(target) else { continue }
          disagreement = try check(target, lab, watchers).map { (target, $0) }
        }
        if disagreement == nil, UplinkLab.hasNames, let host = Self.names?.host, !ignored.contains(host) {
          disagreement = try checkNames(lab, hosts, isThorough: random.percent(4)).map { (host, $0) }
        }
        if let (target, complaint) = disagreement {
          tally.disagreements += 1
          let state = lab.state(about: [target] + (Self.names.map { [$0.server] } ?? []))
          let text =
            "step \(tally.steps): \(target): \(complaint)\n\nseed \(options.seed), lab \(number), step \(step). All commands:"
            + "\n\n\(lab.script.joined(separator: "\n"))\n\n\(state)\n"
          guard options.keepsGoing else { return text }
          say(text)
          // Another lab, or another target: the same disagreement would follow.
          if isOfObserver { break }
          ignored.insert(target)
        }
        if progress.isDue() {
          say("\(tally.steps) steps in \(start.duration(to: .now).components.seconds) s")
        }
      }
      number += 1
    }
    return nil
  }

  private mutating func perform(_ event: UplinkSteps.Event, in lab: UplinkLab) throws {
    switch event {
    case .commands(let commands):
      for command in commands {
        tally.commands += 1
        let refusal = try lab.perform(command)
        if refusal != nil { tally.refusals += 1 }
        if options.isVerbose { say("\(command.line)\(refusal.map { "   # \($0)" } ?? "")") }
      }
    case .advertisement(let router, let isRouter):
      try lab.advertise(router, isRouter: isRouter)
      if options.isVerbose { say("# router \(router) \(isRouter)") }
    case .pause(let time):
      // Packets keep the kernel's timers running meanwhile.
      let end = SuspendingClock.now.advanced(by: .milliseconds(time))
      while SuspendingClock.now < end {
        _ = try lab.attempt(Self.targets[0])
        Thread.sleep(forTimeInterval: 0.005)
      }
    }
  }

  private mutating func settle(_ watchers: Watchers, in lab: UplinkLab) -> (ReachabilityTarget, String)? {
    let start = SuspendingClock.now
    let delays = watchers.settle(Self.targets, of: lab.monitor, within: Self.limit)
    tally.longestDelay = max(tally.longestDelay, start.duration(to: .now))
    tally.events += watchers.takeDelivered().values.map { $0.count - 1 }.reduce(0, +)
    let lasting = delays.filter { delay in
      // While a packet of some program waits for a router, the kernel takes no turns.
      !(0..<10).contains { _ in
        if lab.monitor.currentStatus(of: delay.target) == delay.delivered { return true }
        let choices = lab.choices(of: delay.target)
        if choices.count > 1, choices.contains(delay.delivered?.interface?.name.description ?? "") {
          return true
        }
        Thread.sleep(forTimeInterval: 0.1)
        return false
      }
    }
    if let delay = lasting.first {
      let text =
        "delivered \(delay.delivered.map(Session.describe) ?? "nothing"), "
        + "queried \(Session.describe(delay.present))"
      return (delay.target, text)
    }
    return watchers.problems.first.map { ($0.target, $0.text) }
  }

  /// Compares a status with packets, again and again while they differ; returns a difference that stays.
  private mutating func check(
    _ target: ReachabilityTarget, _ lab: UplinkLab, _ watchers: Watchers
  ) throws -> String? {
    let start = SuspendingClock.now
    tally.comparisons += 1
    var first = true
    while true {
      let before = lab.monitor.currentStatus(of: target)
      let attempt = try lab.attempt(target)
      let after = lab.monitor.currentStatus(of: target)
      tally.packets += 1
      let complaint = before == after ? Self.complaint(about: after, attempt) : "the status changes"
      guard let complaint else {
        tally.states[
          after.reason?.rawValue ?? after.interface.map { "\($0.name)" } ?? "reachable", default: 0] += 1
        return nil
      }
      if first { tally.late += 1 }
      first = false
      // A kernel that alternates between routers does so for as long as neither answers.
      if start.duration(to: .now) > Self.limit {
        guard before == after else { return nil }
        return "\(Session.describe(after)), but \(complaint)"
      }
      watchers.waitForEvent()
    }
  }

  /// Checks that a known host has its address's status, whatever its name servers do meanwhile.
  ///
  /// - Parameter isThorough: Whether to wait until a host that may have another status has the one of its address.
  private func checkNames(_ lab: UplinkLab, _ hosts: Watchers, isThorough: Bool) throws -> String? {
    guard let names = Self.names else { return nil }
    var known = false
    for status in hosts.takeDelivered()[names.host] ?? [] {
      // Until the network lacks only an answer.
      if known, status.reason == .nameServerUnreachable {
        return "its known addresses were forgotten: \(status)"
      }
      known = !status.addresses.isEmpty || (known && status.reason == .nameServerUnreachable)
    }
    guard isThorough else { return nil }
    let start = SuspendingClock.now
    var last = "nothing"
    while start.duration(to: .now) < .seconds(12) {
      let status = lab.monitor.currentStatus(of: names.host)
      let address = lab.monitor.currentStatus(of: names.address)
      if status.state == address.state, status.reason == address.reason { return nil }
      last = "\(Session.describe(status)), but \(Session.describe(address)) for its address"
      // Where a program finds no address either, or cannot use it, the host may say so.
      if try !lab.canResolve || lab.attempt(names.address).arrivals.isEmpty { return nil }
      hosts.waitForEvent()
    }
    return last
  }

  private static func complaint(about status: ReachabilityStatus, _ attempt: UplinkLab.Attempt) -> String? {
    let arrivals = attempt.arrivals.sorted().map { "router \($0)" }.joined(separator: " and ")
    guard status.isReachable else { return attempt.arrivals.isEmpty ? nil : "packets arrived at \(arrivals)" }
    guard attempt.errorNumber == 0 else { return "a socket is refused: error \(attempt.errorNumber)" }
    guard !attempt.arrivals.isEmpty else { return attempt.waitsForRouter ? nil : "nothing arrived" }
    switch status.interface?.name.description {
    case "eth1": return attempt.arrivals == [1] ? nil : "packets arrived at \(arrivals)"
    case "eth2": return attempt.arrivals == [2] ? nil : "packets arrived at \(arrivals)"
    default: return nil
    }
  }
}
