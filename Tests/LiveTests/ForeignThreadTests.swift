// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import RequirementSupport
import Synchronization
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Threads that moved to another network namespace and query a monitor of the previous one.
  @Suite("Threads that moved to another network", .needsPython)
  struct ForeignThreadTests {
    /// The result of a child process; its exit status.
    enum Finding: Int32 {
      case home = 10
      case foreign, unknown, other, noThread, late
    }

    private static let name = "where.test"

    /// Creates a network whose name server answers 192.0.2.1, with a namespace "blue" where one answers 192.0.2.2.
    private func makeHome() throws -> NetworkNamespace {
      let home = try NetworkNamespace()
      try home.hideFolders("/run", "/etc")
      try home.raiseLoopback()
      try home.sh(
        """
        ip netns add blue; ip -n blue link set lo up
        echo 'nameserver 127.0.0.1' >/etc/resolv.conf; echo 'hosts: dns' >/etc/nsswitch.conf
        cat >/run/server.py <<'END'
        \(Self.server)
        END
        exec >/run/log 2>&1
        setsid timeout 60 /usr/bin/python3 /run/server.py 192.0.2.1 /run/ready1 &
        setsid nsenter --net=/run/netns/blue timeout 60 /usr/bin/python3 /run/server.py 192.0.2.2 /run/ready2 &
        for i in $(seq 400); do [ -e /run/ready1 ] && [ -e /run/ready2 ] && exit; sleep 0.02; done; exit 1
        """)
      return home
    }

    /// A name server that answers every query for an IPv4 address with the same one.
    private static let server = """
      import socket, struct, sys
      s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
      s.bind(("127.0.0.1", 53))
      open(sys.argv[2], "w").close()
      while True:
          q, sender = s.recvfrom(512)
          i = 12
          while q[i]: i += q[i] + 1
          isA = q[i + 1:i + 3] == bytes([0, 1])
          answer = bytes([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4]) + socket.inet_aton(sys.argv[1]) if isA else b""
          s.sendto(q[:2] + bytes([0x85, 0x80, 0, 1, 0, isA, 0, 0, 0, 0]) + q[12:i + 5] + answer, sender)
      """

    /// Queries in a child process of the whole network, on a thread that moved to "blue".
    private func find(
      _ body: @escaping @Sendable (ReachabilityMonitor, ReachabilityTarget) throws -> Finding
    ) throws -> Finding? {
      let home = try makeHome()
      let target = ReachabilityTarget.host(try ReachabilityTarget.HostName(Self.name))
      let child = try home.run {
        try Faults.fork(within: 40) {
          guard let monitor = try? ReachabilityMonitor() else { return Finding.noThread.rawValue }
          let finding = Mutex<Finding?>(nil)
          do {
            try Thread.start {
              let found = try? body(monitor, target)
              finding.withLock { $0 = found ?? .noThread }
            }
          } catch {
            return Finding.noThread.rawValue
          }
          while finding.withLock({ $0 }) == nil { usleep(1000) }
          return (finding.withLock { $0 } ?? .late).rawValue
        }
      }
      return Finding(rawValue: try child.wait())
    }

    private static func enterBlue() throws {
      try #require(try NamespaceFile(of: .named("blue")).enter())
    }

    /// Returns which name server a status comes from.
    private static func finding(_ status: ReachabilityStatus?) -> Finding {
      switch (status?.addresses.first?.address, status?.state) {
      case ("192.0.2.1", _): .home
      case ("192.0.2.2", _): .foreign
      case (nil, .unknown): .unknown
      default: .other
      }
    }

    /// Returns the first status that does not wait for a lookup.
    private static func known(_ status: () -> ReachabilityStatus?) -> Finding {
      let deadline = ContinuousClock.now + .seconds(15)
      while ContinuousClock.now < deadline {
        let status = status()
        if let status, status.reason != .resolving { return finding(status) }
        usleep(1000)
      }
      return .late
    }

    @Test func `a lookup runs in the monitor's namespace on any thread`() throws {
      let found = try find { monitor, target in
        try Self.enterBlue()
        return Self.known { monitor.currentStatus(of: target) }
      }
      #expect(found == .home)
    }

    @Test func `a moved thread's observation resolves in the monitor's namespace`() throws {
      let found = try find { monitor, target in
        try Self.enterBlue()
        let sink = LastStatus()
        let entry = monitor.handle.engine.add(sink, for: .init(target: target, settling: .zero))
        defer { monitor.handle.engine.remove(sink, from: entry) }
        let first = Self.known { sink.status.withLock { $0 } }
        monitor.refresh()
        return first
      }
      #expect(found == .home)
    }

    @Test func `a moved thread that cannot return gets no answer from its own network`() throws {
      let found = try find { monitor, target in
        try Self.enterBlue()
        try Faults.refuse("setns", with: EPERM)
        return Self.known { monitor.currentStatus(of: target) }
      }
      #expect(found == .unknown)
    }

    @Test func `a name that failed on a moved thread is resolved on other threads`() throws {
      let found = try find { monitor, target in
        let isDone = Mutex(false)
        try Thread.start {
          try? Self.enterBlue()
          try? Faults.refuse("setns", with: EPERM)
          _ = Self.known { monitor.currentStatus(of: target) }
          isDone.withLock { $0 = true }
        }
        while !isDone.withLock({ $0 }) { usleep(1000) }
        let deadline = ContinuousClock.now + .seconds(15)
        while monitor.currentStatus(of: target).state == .unknown, ContinuousClock.now < deadline {
          usleep(1000)
        }
        return Self.finding(monitor.currentStatus(of: target))
      }
      #expect(found == .home)
    }

    private enum Thread {
      static func start(_ body: @escaping @Sendable () -> Void) throws {
        try startThread(named: "moved", body)
      }
    }
  }
}

/// Keeps the status that was delivered last; Dispatch does not work in a forked child.
private final class LastStatus: EventSink, @unchecked Sendable {
  let status = Mutex<ReachabilityStatus?>(nil)

  override func deliver(_ news: MonitorEvent) -> Bool {
    if case .status(let event) = news.content { status.withLock { $0 = event.status } }
    return false
  }
}
#endif
