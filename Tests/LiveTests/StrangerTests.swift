// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import ReachabilityKit
import RequirementSupport
import Testing

extension LiveTests {
  /// Only messages from the kernel are trusted.
  @Suite("Strangers on netlink", .needsPython)
  struct StrangerTests {
    private static let far = ReachabilityTarget.address("8.8.8.8")

    /// Messages that would make the far host unreachable, and false messages of every other kind, with their groups.
    private static let lies = """
      groups = {"link": 1, "address": 5, "route": 7, "rule": 8, "next hop": 32}
      lies = [
        ("link", message(DELLINK, link("v0"))),
        ("link", message(NEWLINK, link("v0"))),
        ("address", message(DELADDR, address("10.1.0.1", 24, "v0"))),
        ("address", message(NEWADDR, address("10.66.0.1", 24, "v0"))),
        ("route", message(DELROUTE, default_route("10.1.0.254", "v0"))),
        ("route", message(NEWROUTE, default_route("10.1.0.253", "v0"))),
        ("rule", message(DELRULE, struct.pack("=BBBBBBBBI", 2, 0, 0, 0, 254, 0, 0, 1, 0))),
        ("next hop", message(DELNEXTHOP, struct.pack("=BBBBI", 2, 0, 0, 0, 0))),
        ("link", message(2, struct.pack("=i", -101) + bytes(16))),
        ("link", message(3, b"")),
        ("link", b"no message"),
      ]
      """

    /// The known link names and the far host's status.
    private struct Known: Equatable {
      var status: ReachabilityStatus
      var path: ReachabilityPath

      init(_ monitor: ReachabilityMonitor) {
        status = monitor.currentStatus(of: far)
        path = monitor.path
      }
    }

    @Test func `a stranger's announcement is counted and changes nothing`() throws {
      let watched = try PathLab(.ipv4Only)
      let monitor = watched.monitor
      let recorder = Recorder(monitor, [Self.far])
      recorder.wait("the initial event") { $0[Self.far]?.count == 1 }
      let before = Known(monitor)
      let reads = monitor.diagnostics.tableReads
      let sent = try Stranger(in: watched.lab.host).run(
        """
        \(Self.lies)
        opened = open_socket()
        for group, lie in lies: opened.sendto(lie, (0, 1 << (groups[group] - 1)))
        print(len(lies), sum(group in ("link", "address", "rule") for group, lie in lies))
        """)
      // All of them reach the observing socket; those about links, addresses and rules also reach the querying one.
      #expect(sent == ["11 8"])
      let isCounted = {
        _ = monitor.currentStatus(of: Self.far)
        return monitor.diagnostics.foreignMessages == 19
      }
      let deadline = ContinuousClock.now + .seconds(15)
      while !isCounted(), ContinuousClock.now < deadline { usleep(1000) }
      #expect(monitor.diagnostics == .init(foreignMessages: 19, tableReads: reads))
      #expect(Known(monitor) == before)
      // A real change is delivered, without a preceding event.
      try watched.lab.host.ip("route replace default via 10.1.0.253 metric 100")
      recorder.wait("the change") { $0[Self.far]?.last?.gateway == "10.1.0.253" }
      #expect(recorder.statuses[Self.far]?.map(\.gateway) == ["10.1.0.254", "10.1.0.253"])
      #expect(recorder.problems == [])
    }

    @Test func `the kernel refuses a stranger's message to the monitor's sockets`() throws {
      let watched = try PathLab(.ipv4Only)
      let before = Known(watched.monitor)
      let stranger = Stranger(in: watched.lab.host)
      let sockets = try stranger.sockets()
      // Of those to rtnetlink two receive announcements, two read tables and one holds the namespace. No other socket
      // receives anything, for example device events. Where the kernel has IPsec policies, one receives their changes.
      let others = sockets.filter { $0.netlinkProtocol != Stranger.ipsec }
      #expect(others.map(\.netlinkProtocol).sorted() == [0, 0, 0, 0, 0, 16])
      #expect(others.count(where: \.listens) == 2)
      #expect(sockets.count - others.count <= 1)
      let outcomes = try stranger.run(
        """
        \(Self.lies)
        for protocol, port in \(sockets.map { [$0.netlinkProtocol, Int($0.port)] }):
          opened = open_socket(0, protocol)
          for group, lie in lies:
            # Also as an answer to the first queries.
            for sequence in range(3):
              try: opened.sendto(lie[:8] + struct.pack("=II", sequence, port) + lie[16:], (port, 0))
              except OSError as error: print(errno.errorcode[error.errno])
              else: print("sent")
        """)
      #expect(Set(outcomes) == ["ECONNREFUSED"])
      #expect(outcomes.count == sockets.count * 11 * 3)
      #expect(Known(watched.monitor) == before)
      #expect(watched.monitor.diagnostics.foreignMessages == 0)
    }

    @Test func `a process without CAP_NET_ADMIN cannot send to the sockets`() throws {
      let watched = try PathLab(.ipv4Only)
      let stranger = Stranger(in: watched.lab.host)
      let port = try #require(try stranger.sockets().first { $0.listens && $0.netlinkProtocol == 0 }).port
      let outcomes = try stranger.run(
        """
        \(Self.lies)
        opened = open_socket()
        for address in [(0, 1), (\(port), 0)]:
          try: opened.sendto(lies[0][1], address)
          except OSError as error: print(errno.errorcode[error.errno])
          else: print("sent")
        """, prefix: "setpriv --bounding-set=-all --inh-caps=-all")
      #expect(outcomes == ["EPERM", "EPERM"])
      #expect(watched.monitor.diagnostics.foreignMessages == 0)
    }

    @Test func `a link deleted from another namespace under our port is noticed`() throws {
      let watched = try PathLab(.ipv4Only, defaultRoutes: false) { lab in
        for name in ["w1", "w2"] { try lab.addCable(name, far: "far-\(name)") }
      }
      let (host, peer) = (Stranger(in: watched.lab.host), Stranger(in: watched.lab.peer))
      let ports = try host.sockets().filter { $0.listens && $0.netlinkProtocol == 0 }.map(\.port)
      try #require(ports.count == 2)
      for (port, name) in zip(ports, ["w1", "w2"]) {
        #expect(watched.paths.last?.unusableNames.contains(name) == true)
        // Ports are unique within a network namespace only; another namespace can reuse this one.
        let answer = try peer.run(
          """
          opened = open_socket(\(port))
          print(ask(opened, message(DELLINK, link("far-\(name)"), REQUEST | ACK | ECHO, 1)))
          """)
        #expect(answer == ["0"])
        watched.wait("the removal of \(name)") { $0.last?.unusableNames.contains(name) == false }
        #expect(watched.monitor.path == watched.paths.last)
      }
    }
  }
}

extension ReachabilityPath {
  fileprivate var unusableNames: [String] { unusableInterfaces.map(\.interface.name) }
}
#endif
