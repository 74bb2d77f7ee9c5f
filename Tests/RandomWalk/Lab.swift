// SPDX-License-Identifier: Apache-2.0
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// A namespace with a link of every kind that this kernel supports, and two namespaces at the far ends of its cables.
///
/// The link of the network number N has the addresses `10.N.0.1/24` and `fd00:N::1/64`; `v1` to `v4` are cables to
/// `p1` to `p4`.
final class Lab {
  let monitor: ReachabilityMonitor
  /// The links under test, by the numbers of their networks.
  private(set) var links: [Int: String] = [:]
  private let namespaces: [Place: NetworkNamespace]
  private let tunnel: Tunnel?
  let perspective: Perspective
  let respondent: Respondent
  private let taps: [PacketTap]
  private let inboxes: [PacketTap]
  private var deliveryCount: UInt64 = 0
  /// Whether the loopback interface accepts IPv6 packets, which local delivery needs.
  private(set) var loopbackHasIPv6 = true
  /// The kernel's policies for the choice among several next hops (`fib_multipath_hash_policy`).
  private var hashPolicies: [ReachabilityAddress.Family: Int] = [:]
  private var batches = CommandBatches()

  /// Creates the lab, with the steps that create all links, or with fewer.
  ///
  /// - Parameters:
  ///   - unrelatedRouteLimit: The number of unrelated routes after which the kernel filters announcements.
  ///   - perspective: How the queried program sees the network.
  init(_ setup: [Step] = Lab.setup, unrelatedRouteLimit: Int, perspective: Perspective = .ordinary) throws {
    self.perspective = perspective
    var namespaces: [Place: NetworkNamespace] = [:]
    for place in Place.allCases { namespaces[place] = try NetworkNamespace() }
    self.namespaces = namespaces
    guard let host = namespaces[.host] else { preconditionFailure("every place has a namespace") }
    tunnel = try host.openTunnel(Self.names[7, default: ""])
    monitor = try host.run { try ReachabilityMonitor(unrelatedRouteLimit: unrelatedRouteLimit) }
    respondent = try Respondent(perspective, in: host)
    taps =
      try [tunnel.map(PacketTap.init(behind:))].compactMap(\.self)
      + [Place.far1, .far2].compactMap { namespaces[$0] }.map(PacketTap.init(framesIn:))
    inboxes = try Self.ports.map { try PacketTap(port: $0, in: host) }
    // A socket that is not bound to the VRF receives datagrams for its address.
    try host.writeSysctl("net/ipv4/udp_l3mdev_accept", "1")
    if !hasIPv6 {
      try host.writeLinkSysctl("net/ipv6/conf/*/disable_ipv6", "1")
    }
    for step in setup { _ = try perform(step) }
    let words = try host.ip("-o link show").split { $0 == " " || $0 == "\n" || $0 == "@" || $0 == ":" }
    links = Self.names.filter { words.contains(Substring($0.value)) }
  }

  deinit {
    batches.forget()
    tunnel?.close()
    for namespace in namespaces.values { namespace.close() }
  }

  /// Whether the kernel that the program sees has IPv6.
  var hasIPv6: Bool { perspective != .withoutIPv6 }

  /// The queried ports: that of unspecific datagrams, and two that rules may match.
  static let ports: [UInt16] = [9, 53, 443]

  /// All possible links of the namespace under test, by the numbers of their networks.
  static let names = [
    1: "v1", 2: "v2", 3: "v3", 4: "br4", 5: "m5", 6: "d6", 7: "t7", 8: "x8", 9: "l9", 10: "r10",
  ]

  /// The far end of a cable.
  static func far(_ number: Int) -> Place { number <= 2 ? .far1 : .far2 }

  /// The commands that add a cable.
  static func cable(_ number: Int) -> [Command] {
    let here = "02:00:00:00:01:0\(number)"
    let there = "02:00:00:00:02:0\(number)"
    return [
      .ip(
        "link add v\(number) address \(here) type veth peer name p\(number) address \(there) "
          + "netns @\(far(number))"),
      .ip("link set p\(number) up", in: far(number)),
    ]
  }

  /// The commands that add the addresses of a link.
  static func addresses(_ number: Int, of name: String) -> [Command] {
    [
      .ip("addr add 10.\(number).0.1/24 dev \(name)"),
      .ip("addr add fd00:\(number)::1/64 dev \(name) nodad"),
    ]
  }

  /// The commands that create the lab; the kernel refuses kinds that it does not support.
  static let setup: [Step] = {
    var steps = Place.allCases.map { place in
      Step(.set("net/ipv6/conf/default/accept_dad", 0, in: place), .ip("link set lo up", in: place))
    }
    steps += (1...4).map { Step(cable($0)) }
    steps += [
      Step(.ip("link add br4 address 02:00:00:00:01:14 type bridge"), .ip("link set v4 master br4")),
      Step(.ip("link set v4 up")),
      Step(.ip("addr add 10.20.0.1/24 dev lo"), .ip("addr add fd00:20::1/64 dev lo")),
      Step(.ip("link add m5 link v1 address 02:00:00:00:01:05 type macvlan mode bridge")),
      Step(.ip("link add d6 address 02:00:00:00:01:06 type dummy")),
      // Replaces the dummy where the kernel has none.
      Step(.ip("link add d6 address 02:00:00:00:01:06 type ifb")),
      // Without a remote it sends nothing, so that no router's reply is awaited and no other end decides.
      Step(
        .ip(
          "link add x8 address 02:00:00:00:01:08 type vxlan id 8 dev v2 local 10.250.0.1 dstport 4789")),
      Step(.ip("link add l9 link v3 address 02:00:00:00:01:09 type vlan id 9")),
      Step(.ip("link add r10 type vrf table 110")),
    ]
    for (number, name) in names.sorted(by: { $0.key < $1.key }) {
      steps.append(Step([.ip("link set \(name) up")] + addresses(number, of: name)))
    }
    steps.append(Step(.ip("route add default via 10.1.0.254"), .ipv6("route add default via fd00:1::fe")))
    return steps
  }()

}

// MARK: - Actions

extension Lab {
  /// Performs a step, and returns the refused commands with the reasons.
  func perform(_ step: Step) throws -> [(command: Command, refusal: String)] {
    var refusals: [(command: Command, refusal: String)] = []
    for command in step.commands {
      if let refusal = try perform(command) { refusals.append((command, refusal)) }
    }
    return refusals
  }

  private func perform(_ command: Command) throws -> String? {
    var text = command.text
    if !hasIPv6, command.isOfIPv6 { return "this kernel has no IPv6" }
    guard command.tool != .parameter else {
      let parts = text.split(separator: " ").map(String.init)
      do {
        try namespaces[command.place]?.writeSysctl(parts[0], parts[1])
        note(parts[0], parts[1])
        return nil
      } catch {
        return "\(error)"
      }
    }
    for place in Place.allCases where text.contains("@") {
      text.replace("@\(place)", with: namespaces[place]?.path ?? "")
    }
    defer { if command.changesNames { batches.forget() } }
    do {
      let network = namespace(command.place)
      return try batches.run([text], in: network, command.tool == .ipv6 ? ["-6"] : [])[0].refusal
    } catch {
      return "\(error)"
    }
  }

  /// Queries `ip`; each result is one line of JSON or a refusal.
  func ask(_ questions: [String]) throws -> [CommandBatch.Outcome] {
    try batches.run(questions, in: namespace(.host), ["-json", "-details"])
  }

  /// Lists tables as text.
  func list(_ questions: [String]) throws -> String {
    let network = namespace(.host)
    return try questions.map { try network.ip("-N \($0)") }.joined()
  }

  /// Changes settings that affect no status, and returns whether all succeeded; refused ones are skipped.
  @discardableResult
  func change(_ commands: [String]) -> Bool {
    (try? batches.run(commands, in: namespace(.host))) != nil
  }

  /// Runs a closure in the namespace under test.
  func inside<T: Sendable>(_ body: @escaping @Sendable () throws -> T) throws -> T {
    try namespace(.host).run(body)
  }

  /// Notes the value of a parameter that the kernel does not announce.
  private func note(_ parameter: String, _ value: String) {
    if ["net/ipv6/conf/lo/disable_ipv6", "net/ipv6/conf/all/disable_ipv6"].contains(parameter) {
      loopbackHasIPv6 = value == "0"
    }
    guard parameter.hasSuffix("fib_multipath_hash_policy") else { return }
    hashPolicies[parameter.contains("ipv6") ? .v6 : .v4] = Int(value)
    monitor.refresh()
  }

  /// The families whose ports take part in the choice among several next hops.
  var portChoosesHop: Set<ReachabilityAddress.Family> { Set(hashPolicies.filter { $0.value != 0 }.keys) }

  /// Sends packets as a user from connected and unconnected sockets, and returns where they arrived.
  ///
  /// - Parameter protocols: Whether to send TCP packets as well, which may use another next hop.
  func deliver(_ count: Int, _ plan: SocketPlan, as userID: UInt32, protocols: Bool) throws -> Delivery {
    deliveryCount += 2
    let first = deliveryCount
    var plans = [(count, plan)]
    if protocols {
      var other = plan
      other.isStream = true
      plans.append((1, other))
    }
    let sent = try inside { [plans] in
      try Users.acting(as: userID) {
        [true, false].map { isConnected in
          plans.map {
            ProbePackets.send($0.0, $0.1, number: isConnected ? first : first + 1, isConnected: isConnected)
          }.reduce(0, +)
        }
      }
    }
    var delivery = Delivery()
    delivery.connected.accepted = sent[0]
    delivery.unconnected.accepted = sent[1]
    func note(_ number: UInt64, _ change: (inout Delivery.Part) -> Void) {
      if number == first { change(&delivery.connected) }
      if number == first + 1 { change(&delivery.unconnected) }
    }
    for inbox in inboxes {
      while let arrival = inbox.next() { note(arrival.number) { $0.isHere = true } }
    }
    for (number, hops) in arrivals() { note(number) { $0.hops.formUnion(hops) } }
    return delivery
  }

  /// Returns a number for a packet.
  func newNumber() -> UInt64 {
    deliveryCount += 1
    return deliveryCount
  }

  /// Takes the packets that arrived at far ends, by their numbers.
  func arrivals() -> [UInt64: Set<Delivery.Hop>] {
    var arrivals: [UInt64: Set<Delivery.Hop>] = [:]
    for tap in taps {
      while let arrival = tap.next() {
        arrivals[arrival.number, default: []].insert(
          Delivery.Hop(sender: arrival.sender, receiver: arrival.receiver))
      }
    }
    return arrivals
  }

  /// Runs a shell command with arguments in the namespace under test.
  func shell(_ command: String, _ arguments: [String]) throws -> ProcessResult {
    try namespace(.host).shell(command, arguments)
  }

  private func namespace(_ place: Place) -> NetworkNamespace {
    guard let namespace = namespaces[place] else { preconditionFailure("every place has a namespace") }
    return namespace
  }
}
