// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import LiveSupport
import RequirementSupport
import Synchronization
import Testing

@testable import ReachabilityKit

extension LiveTests {
  /// NetworkManager's answers about interfaces, over a real message bus.
  @Suite(Requirement(MeteringBus.skipReason))
  struct MeteringTests {
    @Test(arguments: [(0, nil), (1, true), (2, false), (3, nil), (4, nil), (5, nil)] as [(Int, Bool?)])
    func `only a definite metered state is reported`(_ value: Int, _ expected: Bool?) throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: value)
      #expect(try bus.ask() == expected)
    }

    @Test func `an ordinary user receives the metered state`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 1)
      let index = try bus.interfaceIndex
      try bus.network.sh("chmod 755 /run")
      let metering = try bus.network.run {
        try NetworkManagerMetering([MeteringBus.address], limit: .seconds(20)) {}
      }
      try bus.network.dropRights()
      #expect(try bus.network.run { metering.findOut(interfaceIndex: index) } == true)
    }

    @Test func `interfaces unknown to NetworkManager or the kernel have no metered state`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 1)
      try bus.network.ip("link add v1 type veth peer name p1")
      let line = try bus.network.ip("-o link show v1")
      #expect(try bus.ask(index: Int(line.prefix { $0 != ":" })) == nil)
      for index in [0, -1, 99999, .max] { #expect(try bus.ask(index: index) == nil) }
    }

    @Test func `an interface of the same name in another network is not confused`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 1, prefix: "unshare --net")
      #expect(try bus.ask() == nil)
      let other = try NetworkNamespace()
      try other.ip("link add v0 index \(bus.interfaceIndex) type veth peer name p0")
      try bus.end("manager")
      try bus.startManager(metered: 1)
      #expect(try bus.ask(from: other) == nil)
      #expect(try bus.ask() == true)
    }

    @Test func `a bus that announces no changes is not asked`() throws {
      let bus = try MeteringBus(refusing: "AddMatch")
      try bus.startManager(metered: 1)
      #expect(try bus.ask() == nil)
      #expect(try bus.questionCount() == 0)
    }

    @Test func `a query does not start NetworkManager`() throws {
      let bus = try MeteringBus(hasBus: false)
      try bus.network.sh(
        """
        printf '[D-BUS Service]\\nName=org.freedesktop.NetworkManager\\nExec=/bin/touch /run/started\\nUser=root\\n' \
        >/run/services/org.freedesktop.NetworkManager.service
        """)
      try bus.startBus()
      #expect(try bus.ask() == nil)
      #expect(try bus.network.shell("[ -e /run/started ]").status == 1)
    }

    @Test func `the first listening bus is queried`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 2)
      let nowhere = DBusAddress.path("/run/nowhere")
      #expect(try bus.ask([nowhere, .abstract("nowhere"), MeteringBus.address]) == false)
      #expect(try bus.ask([nowhere]) == nil)
      #expect(try bus.ask([]) == nil)
      #expect(try bus.ask([.path("/run/" + String(repeating: "x", count: 200))]) == nil)
    }

    @Test func `changes arrive across restarts of NetworkManager and the bus`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 2)
      let watch = try Watch(bus)
      // The first query does not wait for the bus.
      #expect(watch.value == nil)
      watch.wait(for: false)
      try bus.setMetered(1)
      watch.wait(for: true)
      try bus.setMetered(4)
      watch.wait(for: nil)
      try bus.setMetered(1)
      watch.wait(for: true)
      try bus.end("manager")
      watch.wait(for: nil)
      try bus.startManager(metered: 2)
      watch.wait(for: false)
      try bus.end("bus")
      watch.wait(for: nil)
      try bus.network.sh("rm -f /run/bus")
      try bus.startBus()
      try? bus.end("manager")
      try bus.startManager(metered: 1)
      // The start of a bus has no announcement; the next network change reconnects.
      watch.networkDidChange()
      watch.wait(for: true)
    }

    @Test func `an unchanged answer is not reported`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 1)
      let watch = try Watch(bus)
      watch.wait(for: true)
      watch.wait(forChanges: 1)
      watch.networkDidChange()
      #expect(watch.value == true)
      try bus.setMetered(1)
      // Delivered after both, because queries are answered in order.
      try bus.setMetered(2)
      watch.wait(for: false)
      watch.wait(forChanges: 2)
    }

    @Test func `a stranger's announcements cause no query`() throws {
      let bus = try MeteringBus()
      try bus.startManager(metered: 2)
      let watch = try Watch(bus)
      watch.wait(for: false)
      #expect(try bus.questionCount() == 1)
      for _ in 0..<5 { try bus.forgeAnnouncements() }
      // The service's real announcement follows them.
      try bus.setMetered(1)
      watch.wait(for: true)
      #expect(try bus.questionCount() == 2)
      watch.wait(forChanges: 2)
    }

    @Test(Requirement(MeteringBus.managerSkipReason))
    func `NetworkManager reports each change of a connection's settings`() throws {
      let bus = try MeteringBus()
      try bus.startNetworkManager()
      // NetworkManager only guesses without the setting.
      #expect(try bus.ask() == nil)
      let watch = try Watch(bus)
      for (setting, expected) in [("yes", true), ("no", false), ("unknown", nil)] as [(String, Bool?)] {
        try bus.nmcli("connection modify w connection.metered \(setting)")
        try bus.nmcli("device reapply v0")
        watch.wait(for: expected)
        #expect(try bus.ask() == expected, "\(setting)")
      }
    }

    @Test func `a path is expensive while its interface is metered`() throws {
      let bus = try MeteringBus()
      try bus.network.sh(
        """
        ip addr add 10.1.0.1/24 dev v0; ip link set p0 up; ip link set v0 up
        ip route add default via 10.1.0.254
        for i in $(seq 2000); do ip link show v0 | grep -q 'state UP' && exit; done; exit 1
        """)
      try bus.startManager(metered: 1)
      let monitor = try bus.network.run {
        ReachabilityMonitor(
          source: try LinuxNetworkSource { onChange in
            try? NetworkManagerMetering([MeteringBus.address], limit: .seconds(20), onChange: onChange)
          })
      }
      #expect(try bus.network.run { monitor.path.isExpensive } == true)

      let received = Mutex<[Bool?]>([])
      let news = DispatchSemaphore(value: 0)
      let observation = try bus.network.run {
        monitor.observePath(on: DispatchQueue(label: "path")) { path in
          received.withLock { $0.append(path.isExpensive) }
          news.signal()
        }
      }
      func wait(for expected: Bool?) {
        let deadline = DispatchTime.now() + .seconds(20)
        while received.withLock({ $0.last }) != .some(expected) {
          guard news.wait(timeout: deadline) == .success else {
            Issue.record("received \(received.withLock { $0 }), not \(String(describing: expected))")
            return
          }
        }
      }
      wait(for: true)
      try bus.setMetered(2)
      wait(for: false)
      try bus.end("manager")
      wait(for: nil)
      observation.cancel()
    }

    @Test func `an observer of a namespace with a name receives the metered state`() throws {
      let bus = try MeteringBus()
      // The manager is in the observed network, and the bus where everyone looks for it.
      try bus.network.sh(
        """
        mkdir /run/dbus; ln /run/bus /run/dbus/system_bus_socket
        ip netns add blue; ip link set v0 netns blue; ip link set p0 up
        ip -n blue addr add 10.1.0.1/24 dev v0; ip -n blue link set v0 up
        ip -n blue route add default via 10.1.0.254
        for i in $(seq 2000); do ip -n blue link show v0 | grep -q 'state UP' && exit; done; exit 1
        """)
      try bus.startManager(metered: 1, prefix: "ip netns exec blue")
      let monitor = try bus.network.run { try ReachabilityMonitor(in: .named("blue")) }
      let isMetered = DispatchSemaphore(value: 0)
      let observation = monitor.observePath(on: DispatchQueue(label: "path")) { path in
        if path.isExpensive == true { isMetered.signal() }
      }
      #expect(isMetered.wait(timeout: .now() + .seconds(20)) == .success)
      observation.cancel()
    }

    @Test func `a silent bus delays one caller only, until it answers`() throws {
      let bus = try MeteringBus(hasBus: false)
      try bus.network.sh(
        """
        setsid timeout 60 /usr/bin/python3 -c '
        import socket, time
        s = socket.socket(socket.AF_UNIX); s.bind("/run/bus"); s.listen(); time.sleep(60)' >&- 2>&- &
        echo $! >/run/bus.pid
        for i in $(seq 400); do [ -S /run/bus ] && exit; sleep 0.02; done; exit 1
        """)
      let index = try bus.interfaceIndex
      // A limit for a busy machine; a query that waits is slower than this.
      let limit = Duration.seconds(3)
      let metering = try bus.network.run {
        try NetworkManagerMetering([MeteringBus.address], limit: limit) {}
      }
      let clock = ContinuousClock()
      let (first, others) = try bus.network.run {
        let first = clock.measure {
          #expect(metering.findOut(interfaceIndexes: Set(index..<index + 8)) == [:])
        }
        let others = clock.measure {
          for _ in 0..<100 { #expect(metering.findOut(interfaceIndexes: Set(index..<index + 8)) == [:]) }
        }
        return (first, others)
      }
      #expect(first >= limit && first < limit * 2)
      #expect(others < limit)
      try bus.end("bus")
      try bus.network.sh("rm -f /run/bus")
      try bus.startBus()
      try bus.startManager(metered: 1)
      let deadline = clock.now + .seconds(30)
      var answer: Bool?
      while answer == nil, clock.now < deadline {
        answer = try bus.network.run { metering.findOut(interfaceIndex: index) }
      }
      #expect(answer == true)
    }
  }
}

/// Follows the metered state of `v0` as the monitor does: queries again after each change.
private final class Watch: Sendable {
  private struct State {
    var value: Bool?
    var changes = 0
  }

  private let bus: MeteringBus
  private let index: Int
  private let metering: NetworkManagerMetering
  private let count = Mutex(0)
  private let signal = DispatchSemaphore(value: 0)

  init(_ bus: MeteringBus) throws {
    self.bus = bus
    index = try bus.interfaceIndex
    let received = ChangeSignal()
    metering = try bus.network.run {
      try NetworkManagerMetering([MeteringBus.address], limit: .seconds(20)) { received.note() }
    }
    received.owner.withLock { $0 = Weak(self) }
  }

  fileprivate func note() {
    count.withLock { $0 += 1 }
    signal.signal()
  }

  var changes: Int { count.withLock { $0 } }

  var value: Bool? {
    try? bus.network.run { [metering, index] in metering.isMetered(interfaceIndex: index) }
  }

  /// Expects so many changes; a new value can be read a moment before its change is reported.
  func wait(forChanges expected: Int) {
    let deadline = DispatchTime.now() + .seconds(20)
    while changes < expected, signal.wait(timeout: deadline) == .success {}
    #expect(changes == expected)
  }

  func networkDidChange() { metering.networkDidChange() }

  func wait(for expected: Bool?) {
    let deadline = DispatchTime.now() + .seconds(20)
    while value != expected {
      guard signal.wait(timeout: deadline) == .success else {
        Issue.record(
          "expected \(String(describing: expected)), but the value is \(String(describing: value))")
        return
      }
    }
  }
}

private struct Weak: Sendable {
  weak let watch: Watch?

  init(_ watch: Watch) {
    self.watch = watch
  }
}

private final class ChangeSignal: Sendable {
  let owner = Mutex<Weak?>(nil)

  func note() { owner.withLock { $0 }?.watch?.note() }
}
#endif
