// SPDX-License-Identifier: Apache-2.0
import Foundation
import InternetProtocol
import LiveSupport
import SearchSupport
import TestSupport

/// One boot: a machine, the world, a gate, a sender, and random steps.
final class Boot {
  /// A step: one command of `ip`, on the machine or in the world.
  private struct Step {
    var command: String
    var isInWorld = false
    var isWithdrawal = false
  }

  private var random: SeededGenerator
  private let machine: NetworkNamespace
  private let world: NetworkNamespace
  private let sender: PacketStream
  private let gate: Gate
  private var batches = CommandBatches()
  private var lines: [String] = []
  private let start = ContinuousClock.now
  /// The last withdrawal: when it began and when it was made.
  private var withdrawal: (began: ContinuousClock.Instant, ended: ContinuousClock.Instant)?

  /// Addresses of the world that only default routes lead to.
  private static let destinations: [ReachabilityAddress] = ["192.0.2.1", "2001:db8::1"]

  /// What happened, as commands with the time in milliseconds.
  var transcript: String { lines.joined(separator: "\n") }

  init(seed: UInt64, number: Int) throws {
    random = SeededGenerator(seed: seed &* 1_000_003 &+ UInt64(number))
    machine = try NetworkNamespace()
    world = try NetworkNamespace()
    try machine.writeLinkSysctl("net/ipv6/conf/*/router_solicitation_delay", "0")
    try machine.writeLinkSysctl("net/ipv6/conf/*/accept_ra", "0")
    try world.writeLinkSysctl("net/ipv6/conf/*/keep_addr_on_down", "1")
    // The far end answers at once: an address that it looks for duplicates of stays silent for a second.
    try world.writeLinkSysctl("net/ipv6/conf/*/accept_dad", "0")
    try world.ip("link set lo up")
    try world.ip("address add 192.0.2.1/32 dev lo")
    try world.ip("address add 2001:db8::1/128 dev lo nodad")
    gate = try Gate(on: machine)
    sender = try PacketStream(to: Self.destinations.map(\.octets), from: machine, into: world, every: 300)
  }

  func run() throws -> Outcome {
    defer {
      sender.stop()
      gate.stop()
      batches.forget()
      machine.close()
      world.close()
    }
    for _ in 0..<random.number(4..<24) {
      try perform(random.pick(weighted: randomSteps))
      if gate.opened != nil { break }
      // A withdrawal may follow at once, or when the gate has had its time.
      if pause(random.percent(30) ? 0 : random.number(0..<20)) { break }
    }
    if gate.opened == nil {
      for step in finalSteps {
        try perform(step)
        if pause(random.number(0..<12)) { break }
      }
    }
    let deadline = ContinuousClock.now + .seconds(5)
    while gate.opened == nil, ContinuousClock.now < deadline { usleep(200) }
    return judge()
  }

  private func judge() -> Outcome {
    guard let opened = gate.opened else {
      note("no opening")
      return Outcome(fault: .hanging)
    }
    // Until a router's hardware address is set, packets for it wait.
    usleep(60_000)
    let arrive = packetsArrive(after: opened)
    let first = firstArrival(around: opened)
    note("opened at \(time(opened)); packets arrive since \(first.map(time) ?? "never")")
    // The gate had not heard of it yet, or packets had just been able to leave.
    let isOverlapping =
      withdrawal.map { $0.began - .milliseconds(1) < opened && opened < $0.ended + .milliseconds(3) } ?? false
    if !arrive { return isOverlapping ? Outcome(isOverlapping: true) : Outcome(fault: .early) }
    guard let first, !isOverlapping else { return Outcome(isOverlapping: isOverlapping) }
    let delay = first.duration(to: opened)
    return Outcome(fault: delay > .milliseconds(10) ? .late : nil, delay: delay)
  }

  /// Whether the first packets that were sent after a moment have arrived.
  private func packetsArrive(after moment: ContinuousClock.Instant) -> Bool {
    let next = sender.rounds(after: moment).prefix(3)
    return next.allSatisfy { $0.arrived != nil } && !next.isEmpty
  }

  /// When the first of those packets arrived of which all arrived until the opening; else the first one that was sent
  /// after it.
  private func firstArrival(around opened: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let rounds = sender.rounds()
    let before = rounds.prefix { $0.sent <= opened }.reversed().prefix { $0.arrived != nil }.compactMap(
      \.arrived)
    return before.min() ?? rounds.first { $0.sent > opened && $0.arrived != nil }?.arrived
  }

  private func perform(_ step: Step) throws {
    let isIPv6 = step.command.hasPrefix("-6 ")
    let command = isIPv6 ? String(step.command.dropFirst(3)) : step.command
    let began = ContinuousClock.now
    let outcome = try batches.run([command], in: step.isInWorld ? world : machine, isIPv6 ? ["-6"] : [])
    if step.command.hasPrefix("link add") {
      batches.forget()
      if outcome.first?.refusal == nil, step.command.hasPrefix("link add eth0") {
        // The router is there from the beginning: whether it answers, a machine cannot know without asking it.
        try world.ip("address add 10.1.0.254/24 dev far0")
        try world.ip("address add fd00:1::fe/64 dev far0 nodad")
        // Duplicates are found in milliseconds, so that two thousand boots take minutes.
        try machine.writeSysctl("net/ipv6/neigh/eth0/retrans_time_ms", "4")
      }
    }
    if step.command == "link set eth0 up", outcome.first?.refusal == nil {
      // A neighbour that was searched for in vain, before the carrier came, is searched for again after a pause.
      for router in ["10.1.0.254", "fd00:1::fe"] {
        _ = try? machine.ip("neighbour replace \(router) lladdr 02:00:00:00:00:fe dev eth0 nud permanent")
      }
    }
    if step.isWithdrawal, outcome.first?.refusal == nil { withdrawal = (began, .now) }
    note(
      "\(time(began)) \(step.isInWorld ? "world: " : "")ip \(step.command)"
        + (outcome.first?.refusal.map { "   # \($0)" } ?? ""))
  }

  /// Waits some milliseconds; returns whether the gate has opened.
  private func pause(_ milliseconds: Int) -> Bool {
    let end = ContinuousClock.now + .milliseconds(milliseconds)
    while gate.opened == nil, ContinuousClock.now < end { usleep(200) }
    return gate.opened != nil
  }

  private func note(_ line: String) { lines.append(line) }

  private func time(_ moment: ContinuousClock.Instant) -> String {
    "\(Double(Int(start.duration(to: moment) / .microseconds(100))) / 10) ms"
  }

  // MARK: Steps

  /// A cable, whose ends have different indices: between equal ones the kernel delays the news of a carrier by up to a
  /// second, and the far end is deaf until then.
  private var cable: Step {
    Step(
      command:
        "link add eth0 index 1001 type veth peer name far0 address 02:00:00:00:00:fe netns \(world.threadID)")
  }

  private var plug: Step { Step(command: "link set far0 up", isInWorld: true) }

  private var randomSteps: [(Int, Step)] {
    var steps: [(Int, Step)] = [(6, cable), (6, plug)]
    steps += [
      "link set eth0 up", "address add 10.1.0.2/24 dev eth0", "address add fd00:1::2/64 dev eth0",
      "route add default via 10.1.0.254", "route add default via fd00:1::fe",
      "route add default via 10.1.0.254 metric 50",
    ].map { (6, Step(command: $0)) }
    steps += [
      "link add eth1 index 1002 type veth peer name far1 netns \(world.threadID)", "link set eth1 up",
      "address add 10.2.0.2/24 dev eth1", "link set lo up",
    ].map { (2, Step(command: $0)) }
    // What is in the way.
    steps += [
      "route add blackhole default metric 5", "-6 route add unreachable default metric 5",
      "rule add prohibit pref 10", "-6 rule add prohibit pref 10",
      "route add default via 10.2.0.254 metric 1",
    ].map { (2, Step(command: $0, isWithdrawal: true)) }
    steps += [
      "link set eth0 down", "address del 10.1.0.2/24 dev eth0", "address del fd00:1::2/64 dev eth0",
      "route del default via 10.1.0.254", "route del default via fd00:1::fe",
      "route del blackhole default metric 5",
      "rule del pref 10", "-6 rule del pref 10", "link del eth0",
    ].map { (1, Step(command: $0, isWithdrawal: true)) }
    steps.append((1, Step(command: "link set far0 down", isInWorld: true, isWithdrawal: true)))
    return steps
  }

  /// What makes the network usable, whatever was done before; in a random order, as far as steps allow it.
  private var finalSteps: [Step] {
    let removals = [
      "route del blackhole default metric 5", "-6 route del unreachable default metric 5", "rule del pref 10",
      "-6 rule del pref 10", "route del default via 10.2.0.254 metric 1",
    ].map { Step(command: $0) }.shuffled(using: &random)
    let isIPv6Only = random.percent(30)
    let addresses =
      isIPv6Only
      ? ["address replace fd00:1::2/64 dev eth0"]
      : ["address replace 10.1.0.2/24 dev eth0", "address replace fd00:1::2/64 dev eth0"]
    let links = (["link set eth0 up"] + addresses).map { Step(command: $0) }.shuffled(using: &random)
    let route =
      isIPv6Only ? "-6 route replace default via fd00:1::fe" : "route replace default via 10.1.0.254"
    // A link that goes up may lose its IPv6 addresses, and routes need links.
    let last = (["link set eth0 up"] + addresses + [route]).map { Step(command: $0) }
    return [cable, plug] + removals + links + last
  }
}

extension PacketStream.Round {
  /// When the first of its packets arrived.
  fileprivate var arrived: ContinuousClock.Instant? { arrivals.compactMap(\.self).min() }
}
