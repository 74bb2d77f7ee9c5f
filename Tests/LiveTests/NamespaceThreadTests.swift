// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
import Foundation
import LiveSupport
import Synchronization
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Threads that resolve names inside another network namespace.
  @Suite("Threads in other network namespaces")
  struct NamespaceThreadTests {
    /// Creates a network where the namespace "blue" has a resolver configuration that differs from the machine's.
    private func makeOutside(_ more: String = "") throws -> NetworkNamespace {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/run", "/etc")
      try outside.sh(
        """
        ip netns add blue
        ip -n blue link add only-blue type veth peer name far-blue
        mkdir -p /etc/netns/blue
        echo 'nameserver 192.0.2.1' >/etc/resolv.conf
        echo '192.0.2.9 everywhere.example' >/etc/hosts
        echo 'hosts: files' >/etc/nsswitch.conf
        echo 'nameserver 192.0.2.2' >/etc/netns/blue/resolv.conf
        echo '192.0.2.77 inside.example' >/etc/netns/blue/hosts
        echo 'nothing in /etc stands for this' >/etc/netns/blue/unknown
        \(more)
        """)
      return outside
    }

    /// Returns a value as seen by a thread that the given function starts.
    private func see<Value: Sendable>(
      _ start: @escaping ThreadStarter, _ look: @escaping @Sendable () -> Value
    ) throws -> Value {
      let seen = Seen<Value>()
      try start("looking") { seen.put(look()) }
      return try #require(seen.wait())
    }

    private static func contents(_ path: String) -> String {
      guard let file = unsafe fopen(path, "re") else { return "error \(errno)" }
      defer { unsafe fclose(file) }
      let bytes = unsafe [UInt8](unsafeUninitializedCapacity: 65536) { buffer, count in
        count = unsafe fread(buffer.baseAddress, 1, 65536, file)
      }
      return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns the calling thread, for example `17/task/19`.
    private static func ownThread() -> String {
      let text = unsafe [CChar](unsafeUninitializedCapacity: 64) { buffer, count in
        count = unsafe buffer.baseAddress.map { unsafe max(readlink("/proc/thread-self", $0, 64), 0) } ?? 0
      }
      return String(decoding: text.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    private static func address(of name: String) -> String? {
      var list: UnsafeMutablePointer<addrinfo>?
      guard unsafe getaddrinfo(name, nil, nil, &list) == 0, let first = unsafe list else { return nil }
      defer { unsafe freeaddrinfo(first) }
      var text = [CChar](repeating: 0, count: 64)
      guard
        unsafe getnameinfo(
          first.pointee.ai_addr, first.pointee.ai_addrlen, &text, 64, nil, 0, NI_NUMERICHOST) == 0
      else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    @Test func `only these threads see the namespace's links and resolv.conf`()
      throws
    {
      let outside = try makeOutside()
      let access = try outside.run { try NamespaceAccess(.named("blue")) }
      let names = try #require(access.names)
      let start = names.start
      _ = try see(names.start) { names.files.update() }
      // The thread needs no privileges later.
      try outside.dropRights()

      let devices = try see(start) { Self.contents("/proc/thread-self/net/dev") }
      #expect(devices.contains("only-blue"))
      #expect(try see(start) { Self.contents("/etc/resolv.conf") } == "nameserver 192.0.2.2\n")
      #expect(try see(start) { Self.address(of: "inside.example") } == "192.0.2.77")
      #expect(try see(start) { Self.address(of: "everywhere.example") } == nil)

      #expect(try outside.run { Self.contents("/proc/thread-self/net/dev") }.contains("only-blue") == false)
      #expect(try outside.run { Self.contents("/etc/resolv.conf") } == "nameserver 192.0.2.1\n")
      #expect(try outside.run { Self.address(of: "everywhere.example") } == "192.0.2.9")
      #expect(try outside.run { Self.address(of: "inside.example") } == nil)
    }

    @Test func `a namespace's resolv.conf replaces a symbolic link`() throws {
      let outside = try makeOutside(
        "mkdir /run/r; mv /etc/resolv.conf /run/r; ln -s ../run/r/resolv.conf /etc")
      let access = try outside.run { try NamespaceAccess(.named("blue")) }
      let names = try #require(access.names)
      _ = try see(names.start) { names.files.update() }
      #expect(try see(names.start) { Self.contents("/etc/resolv.conf") } == "nameserver 192.0.2.2\n")
      #expect(try outside.run { Self.contents("/etc/resolv.conf") } == "nameserver 192.0.2.1\n")
    }

    @Test func `machine-wide resolver daemons are hidden from lookups only`() throws {
      let sockets = [
        "/run/systemd/resolve/io.systemd.Resolve", "/run/nscd/socket", "/run/avahi-daemon/socket",
        "/run/dbus/system_bus_socket",
      ]
      let outside = try makeOutside(
        "for s in \(sockets.joined(separator: " ")); do mkdir -p ${s%/*}; echo x >$s; done")
      let access = try outside.run { try NamespaceAccess(.named("blue")) }
      let source = access.source
      let names = try #require(source.capabilities.names)
      let start = try #require(access.names?.start)
      for socket in sockets {
        #expect(try see(start) { Self.contents(socket) } == "", "\(socket)")
        let requests = try see(names.startLookupThread(named:_:)) { Self.contents(socket) }
        #expect(requests == "", "\(socket)")
        #expect(try outside.run { Self.contents(socket) } == "x\n", "\(socket)")
        #expect(try see(source.startThread(named:_:)) { Self.contents(socket) } == "x\n", "\(socket)")
      }
      let devices = try see(source.startThread(named:_:)) { Self.contents("/proc/thread-self/net/dev") }
      #expect(devices.contains("only-blue"))
    }

    @Test(arguments: [
      "rm /etc/netns/blue/resolv.conf",
      // There is no file to replace.
      "rm /etc/resolv.conf",
      "rm /etc/resolv.conf; ln -s /run/nowhere /etc/resolv.conf",
    ])
    func `a namespace without a usable resolv.conf resolves no names`(_ more: String) throws {
      let outside = try makeOutside(more)
      let access = try outside.run { try NamespaceAccess(.named("blue")) }
      #expect(access.names?.files.canLookUp != true)
      #expect(access.source.evaluate(.defaultRoute).status == .notReachable(.noRoute))
    }

    @Test func `an unnamed namespace has no resolver configuration`() throws {
      let outside = try makeOutside()
      #expect(try outside.run { try NamespaceAccess(.path("/run/netns/blue")) }.names == nil)
    }

    /// The first known status of a host.
    private func knownStatus(of name: String, _ monitor: ReachabilityMonitor) throws -> ReachabilityStatus {
      let target = ReachabilityTarget.host(try ReachabilityTarget.HostName(name))
      let recorder = Recorder(monitor, [target])
      recorder.wait("the status of \(name)") { $0[target]?.last.map { $0.reason != .resolving } ?? false }
      return try #require(recorder.statuses[target]?.last)
    }

    @Test func `a monitor resolves names in its namespace on any thread`() throws {
      let outside = try makeOutside(
        """
        ip -n blue addr add 192.0.2.1/24 dev only-blue
        ip -n blue link set far-blue up
        ip -n blue link set only-blue up
        for i in $(seq 2000); do ip -n blue link show only-blue | grep -q 'state UP' && exit; done; exit 1
        """)
      let inside = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
      try outside.dropRights()
      let known = try knownStatus(of: "inside.example", inside)
      #expect(known.addresses.map(\.address) == ["192.0.2.77"])
      #expect(known.isReachable)
      #expect(try knownStatus(of: "everywhere.example", inside).reason == .nameNotFound)

      let here = try outside.run { try ReachabilityMonitor() }
      let there = try knownStatus(of: "everywhere.example", here)
      #expect(there.addresses == [.init("192.0.2.9", status: .notReachable(.noRoute))])
      #expect(try knownStatus(of: "inside.example", here).reason == .nameNotFound)
    }

    @Test(arguments: [true, false])
    func `a file that replaces the resolver's takes effect, also without privileges`(
      isThereBefore: Bool
    ) throws {
      let outside = try makeOutside(
        "ip -n blue link set lo up; echo '127.0.0.1 old.example' >/etc/netns/blue/hosts"
          + (isThereBefore ? "" : "; rm -r /etc/netns"))
      let monitor = try outside.run { try ReachabilityMonitor(in: .named("blue")) }
      let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("new.example"))
      let recorder = Recorder(monitor, [target])
      let reason = ReachabilityStatus.Reason.self
      recorder.wait("the first status") {
        $0[target]?.last?.reason == (isThereBefore ? reason.nameNotFound : reason.namesNotResolved)
      }
      // A file that a rename replaces, as editors do.
      try outside.sh(
        """
        mkdir -p /etc/netns/blue; cd /etc/netns/blue
        echo '127.0.0.1 new.example' >hosts.new; echo 'nameserver 192.0.2.2' >resolv.new
        mv hosts.new hosts; mv resolv.new resolv.conf
        """)
      recorder.wait("the name's address") { $0[target]?.last?.isReachable == true }
      try outside.sh("rm /etc/netns/blue/resolv.conf")
      recorder.wait("no name servers") { $0[target]?.last?.reason == .namesNotResolved }
    }

    @Test func `only localhost is known without a resolver configuration`() throws {
      let outside = try makeOutside("ip -n blue link set lo up")
      let monitor = try outside.run { try ReachabilityMonitor(in: .path("/run/netns/blue")) }
      #expect(try knownStatus(of: "inside.example", monitor) == .unknown(.namesNotResolved))
      #expect(try knownStatus(of: "localhost", monitor).isReachable)
    }

    @Test func `the helper threads end with their owner`() throws {
      let outside = try makeOutside()
      let threads = Mutex<NamespaceThreads?>(try outside.run { try NamespaceThreads(in: .named("blue")) })
      let thread = try #require(
        threads.withLock {
          try $0?.call { () throws(ReachabilityMonitorError) -> String in Self.ownThread() }
        })
      #expect(Self.contents("/proc/\(thread)/comm") == "netns\n")
      let tasks = "/proc/self/task"
      func lookups() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: tasks).filter {
          Self.contents("\(tasks)/\($0)/comm") == "netns-names\n"
        }
      }
      let deadline = ContinuousClock.now + .seconds(10)
      threads.withLock { $0 = nil }
      while try unsafe access("/proc/\(thread)", F_OK) == 0 || !lookups().isEmpty {
        guard ContinuousClock.now < deadline else {
          Issue.record("a thread is still there")
          return
        }
        sched_yield()
      }
    }
  }
}

/// A value as another thread sees it.
private final class Seen<Value: Sendable>: Sendable {
  private let value = Mutex<Value?>(nil)
  private let isThere = DispatchSemaphore(value: 0)

  func put(_ seen: Value) {
    value.withLock { $0 = seen }
    isThere.signal()
  }

  func wait() -> Value? {
    _ = isThere.wait(timeout: .now() + .seconds(20))
    return value.withLock { $0 }
  }
}
#endif
