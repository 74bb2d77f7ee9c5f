// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import ReachabilityKit
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Network namespaces that are monitored from another one.
  @Suite("Other network namespaces")
  struct NamespaceTests {
    private static let far = ReachabilityTarget.address("8.8.8.8")

    /// Creates a network with one cable into the named namespace "blue", which no other process can find.
    private func makeBlue() throws -> NetworkNamespace {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run")
      try outside.sh(
        """
        ip netns add blue
        ip link add p0 type veth peer name v0 netns blue
        ip link set p0 up
        ip -n blue addr add 10.1.0.1/24 dev v0
        ip -n blue link set v0 up
        ip -n blue route add default via 10.1.0.254
        for i in $(seq 2000); do ip -n blue link show v0 | grep -q 'state UP' && exit; done; exit 1
        """)
      return outside
    }

    private func error(
      of namespace: ReachabilityNamespace, in network: NetworkNamespace
    ) throws -> ReachabilityMonitorError {
      try #require(throws: ReachabilityMonitorError.self) {
        _ = try network.run { try ReachabilityMonitor(in: namespace) }
      }
    }

    @Test func `a namespace is found by its file and by a process that is in it`() throws {
      let lab = try Lab(.ipv4Only)
      let outside = try NetworkNamespace()
      let expected = try ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", lab.interface("v0"))
      // The kernel accepts a thread's number as a process number.
      for namespace in [.path(lab.host.path), .process(lab.host.threadID)] as [ReachabilityNamespace] {
        let monitor = try outside.run { try ReachabilityMonitor(in: namespace) }
        #expect(monitor.currentStatus(of: Self.far) == expected, "\(namespace)")
      }
      // A process that creates a monitor of another namespace stays in its namespace.
      #expect(
        try outside.run { try ReachabilityMonitor() }.currentStatus(of: Self.far) == .notReachable(.noRoute))
    }

    @Test func `a namespace is found by its name`() throws {
      let outside = try makeBlue()
      let monitor = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
      let status = monitor.currentStatus(of: Self.far)
      #expect(status.isReachable)
      #expect(status.interface?.name == "v0")
    }

    @Test func `an observer without privileges receives changes`() throws {
      let lab = try Lab(.ipv4Only)
      let expected = try ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", lab.interface("v0"))
      let outside = try NetworkNamespace()
      let monitor = try outside.run { try ReachabilityMonitor(in: .path(lab.host.path)) }
      try outside.dropRights()
      // The first observer starts the thread that receives, and passes on its reduced privileges.
      let recorder = try outside.run { Recorder(monitor, [Self.far]) }
      recorder.wait("the initial event") { $0[Self.far] == [expected] }
      try lab.host.ip("route del default")
      recorder.wait("the end of the route") { $0[Self.far]?.last == .notReachable(.noRoute) }
      try lab.host.ip("route add default via 10.1.0.254")
      recorder.wait("the new route") { $0[Self.far] == [expected, .notReachable(.noRoute), expected] }
      try lab.host.ip("link set v0 down")
      recorder.wait("the link's end") { $0[Self.far]?.count == 4 }
      #expect(recorder.problems == [])
      #expect(try outside.run { monitor.currentStatus(of: Self.far).isReachable } == false)
    }

    @Test func `an unnamed namespace is observed until its links disappear`() throws {
      let outside = try makeBlue()
      let monitor = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
      let recorder = Recorder(monitor, [Self.far])
      recorder.wait("the initial event") { $0[Self.far]?.last?.isReachable == true }
      try outside.ip("netns del blue")
      #expect(try error(of: .named("blue"), in: outside).code == .namespaceNotFound)
      // The monitor itself keeps the namespace alive, so this stays true.
      #expect(monitor.currentStatus(of: Self.far).isReachable)
      try outside.ip("link del p0")
      recorder.wait("the link's removal") { $0[Self.far]?.last == .notReachable(.noRoute) }
      #expect(recorder.statuses[Self.far]?.first?.isReachable == true)
      #expect(monitor.currentStatus(of: Self.far) == .notReachable(.noRoute))
      #expect(recorder.problems == [])
    }

    @Test func `a namespace without processes lives as long as its monitor`() throws {
      let outside = try NetworkNamespace()
      let blue = try NetworkNamespace()
      try blue.raiseLoopback()
      let local = ReachabilityTarget.address("127.0.0.1")
      let monitor = try outside.run { try ReachabilityMonitor(in: .process(blue.threadID)) }
      let recorder = Recorder(monitor, [local, Self.far])
      recorder.wait("the initial events") { $0.count == 2 }
      let before = recorder.statuses
      let number = blue.threadID
      blue.close()
      #expect(try error(of: .process(number), in: outside).code == .namespaceNotFound)
      #expect(monitor.currentStatus(of: local).isReachable)
      #expect(monitor.currentStatus(of: Self.far) == .notReachable(.noRoute))
      monitor.refresh()
      let late = Recorder(monitor, [.address("127.0.0.2")])
      late.wait("the initial event of a late observer") {
        $0.values.first?.last?.isReachable == true
      }
      #expect(recorder.statuses == before)
    }

    @Test func `the error for a missing namespace names its file`() throws {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run")
      let named = try error(of: .named("blue"), in: outside)
      #expect(named.code == .namespaceNotFound)
      #expect(named.errorNumber == ENOENT)
      #expect(
        named.description
          == "there is no network namespace 'blue': could not open /run/netns/blue: No such file or directory"
      )
      // Process numbers have a lower maximum.
      let process = try error(of: .process(.max), in: outside)
      #expect(process.code == .namespaceNotFound)
      #expect(
        process.description
          == "there is no process 2147483647: could not open /proc/2147483647/ns/net: No such file or directory"
      )
      #expect(try error(of: .path("/proc/self/exe/x"), in: outside).code == .namespaceNotFound)
    }

    @Test(
      arguments: [
        "", ".", "..", "a/b", "../blue", "/run/netns/blue", "blue\0",
      ])
    func `an impossible namespace name is rejected`(_ name: String) throws {
      let error = try error(of: .named(name), in: try NetworkNamespace())
      #expect(error.code == .namespaceNotFound)
      #expect(
        error.description
          == "'\(name)' can't be the name of a network namespace: it is not a file name in /run/netns")
    }

    @Test(arguments: [
      ReachabilityNamespace.process(0), .process(-1), .path(""), .path("/proc/self/ns/net\0"),
    ])
    func `an impossible process number or path is rejected`(_ namespace: ReachabilityNamespace) throws {
      let error = try error(of: namespace, in: try NetworkNamespace())
      #expect(error.code == .namespaceNotFound)
      #expect(error.description.contains("can't be"))
    }

    @Test(
      arguments: [
        "/proc/self/exe", "/proc/self/ns/mnt", "/proc/self/ns/pid", "/dev/null", "/proc", "/fifo",
      ])
    func `a file that is not a network namespace is rejected`(_ path: String) throws {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run")
      try outside.sh("mkfifo /run/fifo")
      let path = path == "/fifo" ? "/run/fifo" : path
      let error = try error(of: .path(path), in: outside)
      #expect(error.code == .namespaceNotFound)
      #expect(error.description == "\(path) is not a network namespace")
    }

    @Test(arguments: ["pipe", "device", "link"])
    func `a device or a pipe is not opened`(_ name: String) throws {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run")
      // The device numbers of /dev/null, which a user namespace does not allow.
      try outside.sh("cd /run; mkfifo pipe; ln -s pipe link; mknod device c 1 3 || ln -s pipe device")
      let watch = try outside.run {
        // IN_NONBLOCK, IN_CLOEXEC; IN_OPEN.
        let watch = inotify_init1(0o4000 | 0o2000000)
        return unsafe inotify_add_watch(watch, "/run/\(name)", 0x20) < 0 ? -1 : watch
      }
      try #require(watch >= 0)
      defer { close(watch) }
      #expect(try error(of: .path("/run/\(name)"), in: outside).code == .namespaceNotFound)
      var events = [UInt8](repeating: 0, count: 256)
      #expect(unsafe read(watch, &events, events.count) == -1)
      #expect(errno == EAGAIN)
    }

    @Test func `a stale name is not a network namespace`() throws {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run")
      try outside.sh("mkdir /run/netns; touch /run/netns/stale")
      let error = try error(of: .named("stale"), in: outside)
      #expect(error.code == .namespaceNotFound)
      #expect(error.description == "/run/netns/stale is not a network namespace")
    }

    @Test func `the error for a forbidden namespace names the missing capability`() throws {
      let outside = try makeBlue()
      try outside.dropRights()
      let named = try error(of: .named("blue"), in: outside)
      #expect(named.code == .notPermitted)
      #expect(named.errorNumber == EPERM)
      #expect(
        named.description
          == """
          could not enter the network namespace 'blue': Operation not permitted; \
          this requires CAP_SYS_ADMIN in it and in this process's user namespace, as root has
          """)
    }

    @Test func `a process needs no privileges to monitor its own namespace`() throws {
      let lab = try Lab(.ipv4Only)
      try lab.host.dropRights()
      let monitor = try lab.host.run { try ReachabilityMonitor(in: .path("/proc/thread-self/ns/net")) }
      #expect(monitor.currentStatus(of: Self.far).isReachable)
    }
  }
}
#endif
