// SPDX-License-Identifier: Apache-2.0
import CommandSupport
import Foundation
import InternetProtocol
import LiveSupport
import ReachabilityKit
import SearchSupport

/// A host with two uplinks, whose routers have the same networks behind them, and a tunnel to one of the routers.
///
/// The uplink N is `eth N` with `10.N.0.1/24` and `fd00:N::1/64`; its router has `10.N.0.254` and `fd00:N::fe`. Both routers have
/// `10.9.0.1`, which is `a.test`, and `fd00:9::1`, and a name server at `10.9.0.53`. The kernel's timers of neighbours run ten times as fast as usual.
final class UplinkLab {
  let monitor: ReachabilityMonitor
  private let host: NetworkNamespace
  private let routers: [NetworkNamespace]
  private let taps: [PacketTap]
  private var batches = CommandBatches()
  private let folder = FileManager.default.temporaryDirectory.appending(path: "uplinks-\(UUID())").path
  private var nameServers: [NameServer] = []
  private var probeNumber: UInt64 = 0
  /// The commands so far, as lines of a shell script.
  private(set) var script: [String] = []

  /// Whether name servers can run here.
  static let hasNames = NameServer.skipReason == nil

  init() throws {
    host = try NetworkNamespace()
    routers = [try NetworkNamespace(), try NetworkNamespace()]
    for router in routers {
      for name in ["ipv4/ip_forward", "ipv6/conf/all/forwarding"] {
        try router.writeSysctl("net/\(name)", "1")
      }
      try router.writeLinkSysctl("net/ipv4/conf/*/rp_filter", "0")
    }
    for network in [host] + routers { try network.writeSysctl("net/ipv6/conf/default/accept_dad", "0") }
    try host.hideFolders("/etc")
    try host.sh(
      """
      printf 'nameserver 10.9.0.53\noptions timeout:1 attempts:1\n' >/etc/resolv.conf
      echo 'hosts: files dns' >/etc/nsswitch.conf
      """)
    monitor = try host.run { try ReachabilityMonitor() }
    taps = try routers.map(PacketTap.init(framesIn:))
    try perform(.ip("link set lo up"))
    for number in 1...2 {
      try host.ip("link add eth\(number) type veth peer name p\(number) netns \(routers[number - 1].path)")
      script.append("ip -n host link add eth\(number) type veth peer name p\(number) netns far\(number)")
    }
    batches.forget()
    for number in 1...2 {
      for version in ["ipv4", "ipv6"] {
        for (name, value) in Self.timers {
          try perform(.set("net/\(version)/neigh/eth\(number)/\(name)", value))
        }
      }
      let place = Lab.far(number == 1 ? 1 : 3)
      for text in [
        "link set lo up", "link set p\(number) up", "addr add 10.9.0.1/32 dev lo",
        "addr add fd00:9::1/128 dev lo",
        "addr add 10.8.0.\(number)/32 dev lo", "addr add 10.9.0.53/32 dev lo",
      ] + Self.routerAddresses(number).map({ "addr add \($0)" }) {
        try perform(.ip(text, in: place))
      }
      for text in [
        "link set eth\(number) up", "addr add 10.\(number).0.1/24 dev eth\(number)",
        "addr add fd00:\(number)::1/64 dev eth\(number) nodad",
      ] { try perform(.ip(text)) }
    }
    try perform(.ip("link add tun1 type vxlan id 8 local 10.1.0.1 remote 10.8.0.1 dstport 4789"))
    for command in Self.tunnel { try perform(command) }
    guard Self.hasNames else { return }
    for (number, router) in routers.enumerated() {
      let place = "\(folder)/\(number)"
      try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
      nameServers.append(
        try NameServer(
          in: place, router, at: "10.9.0.53", serving: "10.0.0.0/8", "  local-data: \"a.test. A 10.9.0.1\""))
    }
  }

  deinit {
    batches.forget()
    nameServers = []
    try? FileManager.default.removeItem(atPath: folder)
    for network in [host] + routers { network.close() }
  }

  /// The numbers of the neighbours' states: how long each lasts.
  private static let timers = [
    ("retrans_time_ms", 50), ("base_reachable_time_ms", 400), ("delay_first_probe_time", 1),
    ("ucast_solicit", 1),
    ("mcast_solicit", 1),
  ]

  /// The commands that let packets enter the tunnel; the far end needs no tunnel for them to arrive.
  static let tunnel: [Command] = [
    .ip("link set tun1 up"), .ip("addr add 10.50.0.2/24 dev tun1"),
    .ip("neigh replace 10.50.0.1 lladdr 02:00:00:00:00:50 dev tun1 nud permanent"),
  ]

  /// The addresses at which a router answers; without them it is silent.
  static func routerAddresses(_ number: Int) -> [String] {
    ["10.\(number).0.254/24 dev p\(number)", "fd00:\(number)::fe/64 dev p\(number) nodad"]
  }

  /// Performs a command; returns why it was refused, or `nil`.
  @discardableResult
  func perform(_ command: Command) throws -> String? {
    script.append(command.line)
    if command.tool == .parameter {
      let parts = command.text.split(separator: " ").map(String.init)
      do {
        try network(command.place).writeSysctl(parts[0], parts[1])
        // Tunnels and connected sockets keep the route that they looked up with the old value.
        for version in ["ipv4", "ipv6"] {
          try network(command.place).writeSysctl("net/\(version)/route/flush", "1")
        }
      } catch {
        return "\(error)"
      }
      // No message of the kernel reports most of these.
      monitor.refresh()
      return nil
    }
    do {
      let options = command.tool == .ipv6 ? ["-6"] : []
      return try batches.run([command.text], in: network(command.place), options)[0].refusal
    } catch {
      return "\(error)"
    }
  }

  /// Lets a router advertise itself, for half an hour or no longer.
  func advertise(_ number: Int, isRouter: Bool) throws {
    script.append("# router \(number) advertises itself with a lifetime of \(isRouter ? 1800 : 0) seconds")
    _ = try routers[number - 1].run {
      RouterAdvertisement.send(over: "p\(number)", lifetime: isRouter ? 1800 : 0)
    }
  }

  private func network(_ place: Place) -> NetworkNamespace {
    switch place {
    case .host: host
    case .far1: routers[0]
    case .far2: routers[1]
    }
  }

  /// The interfaces that lookups of an address in a row return.
  ///
  /// Between equal default routes whose routers all failed, or are all unconfirmed, the kernel takes turns: each lookup, of
  /// any program, turns it by one. A status that takes several lookups may then combine any of its choices.
  func choices(of target: ReachabilityTarget) -> Set<String> {
    guard case .address(let address) = target.destination else { return [] }
    return Set(
      (0..<6).compactMap { _ in
        let words = (try? host.ip("route get \(address)"))?.split(separator: " ") ?? []
        return words.firstIndex(of: "dev").map { String(words[$0 + 1]) }
      })
  }

  /// Whether a program finds the host now.
  var canResolve: Bool { (try? host.sh("getent ahostsv4 a.test")) != nil }

  /// What the kernel holds now, and what ten lookups in a row return, for the report of a disagreement.
  func state(about targets: [ReachabilityTarget]) -> String {
    var questions = ["-4 rule show", "-6 rule show", "-4 route show", "-6 route show", "neigh show"]
    for case .address(let address) in targets.map(\.destination) {
      questions += Array(repeating: "route get \(address)", count: 10)
    }
    return questions.map { text in
      let output = (try? host.ip(text)) ?? "refused"
      return "# ip \(text)\n\(output.split(separator: "\n").map { "#   \($0)" }.joined(separator: "\n"))"
    }.joined(separator: "\n")
  }

  // MARK: Packets

  /// What became of one attempt to send.
  struct Attempt {
    /// The error of a call, or 0.
    var errorNumber: Int32 = 0
    /// The numbers of the uplinks whose far ends received it.
    var arrivals: Set<Int> = []
    /// Whether the address of a router is not known, for which packets wait.
    var waitsForRouter = false
  }

  /// Sends what a program would send to a target, and watches both far ends.
  func attempt(_ target: ReachabilityTarget) throws -> Attempt {
    guard case .address(let address) = target.destination else { return Attempt() }
    let isStream = target.transport != .udp
    let plan = SocketPlan(to: address.octets, isStream: isStream, from: target.source?.octets)
    probeNumber += 1
    let number = probeNumber
    var attempt = Attempt()
    attempt.errorNumber = try host.run { Connection(plan).errorNumber }
    guard attempt.errorNumber == 0 else { return attempt }
    _ = try host.run { ProbePackets.send(1, plan, number: number, isConnected: target.source == nil) }
    // A router that answers does so within a millisecond.
    for wait in [0, 0, 2, 20] where attempt.arrivals.isEmpty {
      for (index, tap) in taps.enumerated() {
        while let arrival = tap.next(within: wait) {
          if arrival.number == number { attempt.arrivals.insert(index + 1) }
        }
      }
    }
    if attempt.arrivals.isEmpty {
      let list = try host.ip("neigh show")
      attempt.waitsForRouter = list.contains("INCOMPLETE") || list.contains("FAILED")
    }
    return attempt
  }
}
