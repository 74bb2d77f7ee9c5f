// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import LiveSupport
import Testing

@testable import ReachabilityKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

extension LiveTests {
  /// Processes that may start no more threads.
  @Suite("Thread limits")
  struct ThreadLimitTests {
    @Test func `a name is unknown while no thread can start, and found later`() throws {
      let outside = try NetworkNamespace()
      try outside.hideFolders("/etc")
      try outside.sh("echo '192.0.2.9 listed.test' >/etc/hosts; echo 'hosts: files' >/etc/nsswitch.conf")
      let target = ReachabilityTarget.host(try ReachabilityTarget.HostName("listed.test"))
      let monitor = try outside.run { try ReachabilityMonitor(source: LinuxNetworkSource(names: .direct)) }
      let statuses = try outside.runApart {
        try Faults.refuseThreads()
        return (0..<3).map { _ in monitor.currentStatus(of: target) }
      }
      #expect(statuses == Array(repeating: .unknown(.systemError), count: 3))
      let deadline = ContinuousClock.now + .seconds(20)
      var status = monitor.currentStatus(of: target)
      while status.state == .unknown, ContinuousClock.now < deadline {
        usleep(10_000)
        status = try outside.run { monitor.currentStatus(of: target) }
      }
      #expect(status.addresses.map(\.address) == ["192.0.2.9"])
    }

    @Test func `another namespace's monitor fails without a thread`() throws {
      let lab = try Lab(.ipv4Only)
      let path = lab.host.path
      let error = #expect(throws: ReachabilityMonitorError.self) {
        try lab.host.runApart {
          try Faults.refuseThreads()
          return try ReachabilityMonitor(in: .path(path))
        }
      }
      #expect(error?.code == .systemUnavailable)
      #expect(error?.errorNumber == EAGAIN)
      #expect(error?.description.hasPrefix("could not start a thread: ") == true)
    }

    @Test func `address queries need no thread`() throws {
      let lab = try Lab(.ipv4Only)
      let status = try lab.host.runApart {
        try Faults.refuseThreads()
        return try ReachabilityMonitor().currentStatus(of: .address("10.1.0.9"))
      }
      #expect(status.isReachable)
    }
  }
}

extension NameAccess {
  /// Looks names up on threads that the calling thread starts itself.
  fileprivate static var direct: NameAccess {
    NameAccess(start: startThread(named:_:))
  }
}
#endif
