// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Dispatch
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
  /// Processes that may open no more descriptors.
  @Suite("No free descriptors")
  struct DescriptorLimitTests {
    /// Opens descriptors until the numbers have no gaps, and returns the first free one.
    private static func fillGaps() throws -> Int {
      while true {
        let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        let highest = OpenDescriptor.all.map(\.number).max() ?? number
        if number == highest { return Int(number) + 1 }
      }
    }

    @Test func `a failed monitor initialiser leaves no descriptor open`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let expected = try ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", lab.interface("v0"))
        let free = try DescriptorLimitTests.fillGaps()
        let before = OpenDescriptor.all
        var refusals = 0
        for spare in 0...16 {
          try Faults.limitDescriptors(to: free + spare)
          defer { try? Faults.limitDescriptors(to: nil) }
          do throws(ReachabilityMonitorError) {
            let monitor = try lab.makeMonitorOrRefusal()
            #expect(monitor.currentStatus(of: FaultLab.far) == expected)
          } catch {
            refusals += 1
            #expect(error.code == .systemUnavailable)
            #expect(error.errorNumber == EMFILE)
            #expect(error.description.hasPrefix("the kernel's network tables can't be read: could not "))
            #expect(error.description.hasSuffix(": Too many open files"))
          }
          // The thread that created the monitor releases it shortly afterwards.
          let deadline = ContinuousClock.now.advanced(by: .seconds(5))
          while OpenDescriptor.all != before, ContinuousClock.now < deadline { sched_yield() }
          let left = OpenDescriptor.all.subtracting(before).map(\.name)
          #expect(left == [], "\(left) with \(spare) to spare")
        }
        #expect((1...16).contains(refusals), "\(refusals) refusals")
      }
    }

    @Test func `the shared monitor is created once descriptors are free`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        let unavailable = try lab.host.run { ReachabilityMonitor.shared }
        #expect(unavailable.diagnostics.failure?.errorNumber == EMFILE)
        #expect(unavailable.currentStatus(of: FaultLab.far) == .unknown(.systemError))
        #expect(unavailable.path.status == .unknown)
        // What commands print instead of unknown statuses.
        let error = #expect(throws: ReachabilityMonitorError.self) {
          try lab.host.run { try ReachabilityMonitor.availableShared() }
        }
        #expect(error?.errorNumber == EMFILE)
        try Faults.limitDescriptors(to: nil)
        #expect(try lab.host.run { ReachabilityMonitor.shared }.currentStatus(of: FaultLab.far).isReachable)
      }
    }

    @Test func `a running monitor serves old and new observers`() async {
      await #expect(processExitsWith: .success) {
        let fault = try FaultLab()
        let path = fault.monitor.path
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        #expect(path.isSatisfied && fault.monitor.path == path)
        let late = try fault.lab.host.run { [monitor = fault.monitor] in Recorder(monitor, [.defaultRoute]) }
        late.wait("the initial event") { $0[.defaultRoute]?.last?.isReachable == true }
        // Starting the command that makes the change needs descriptors.
        try Faults.limitDescriptors(to: nil)
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps() + 6)
        try fault.lab.peer.ip("link set p0 down")
        fault.recorder.wait("the change") { $0[FaultLab.far]?.last?.reason == .noCarrier }
        late.wait("the change") { $0[.defaultRoute]?.last?.reason == .noCarrier }
        try Faults.limitDescriptors(to: nil)
        try fault.lab.peer.ip("link set p0 up")
        fault.expectHealthy("the cable's return")
      }
    }

    /// A file that lists name servers, whose content can be replaced without opening a file.
    private struct ResolverFile {
      let path: String
      private let file: Int32

      init() throws {
        path = "/tmp/resolv-\(getpid())"
        file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        name("10.1.0.1")
      }

      /// Replaces the listed name server.
      func name(_ server: String) {
        let text = "nameserver \(server)\n"
        _ = unsafe pwrite(file, text, text.utf8.count, 0)
      }

      func remove() { unsafe unlink(path) }

      /// Creates a monitor that reads this file.
      ///
      /// The monitor does not look for a system bus, since the socket for that would close after the gaps are filled.
      func makeMonitor() throws -> ReachabilityMonitor {
        ReachabilityMonitor(
          source: try LinuxNetworkSource(resolverConfiguration: path, metering: { _ in nil }))
      }
    }

    /// The name servers that an observer of the path receives; `nil` while the path is unknown.
    private final class Servers: Sendable {
      private let received = Mutex<[[String]?]>([])
      private let news = DispatchSemaphore(value: 0)
      private let token = Held<ReachabilityObservation>()

      init(_ monitor: ReachabilityMonitor) {
        token.value = monitor.observePath(on: DispatchQueue(label: "servers")) { [weak self] path in
          self?.received.withLock {
            $0.append(path.status == .unknown ? nil : path.nameServers.map(\.description))
          }
          self?.news.signal()
        }
      }

      /// Waits until the delivered values are the given ones.
      func expect(_ expected: [String]?...) {
        let deadline = DispatchTime.now() + .seconds(10)
        while received.withLock({ $0 != expected }) {
          guard news.wait(timeout: deadline) == .timedOut else { continue }
          Issue.record("delivered \(received.withLock { $0 }), expected \(expected)")
          return
        }
      }
    }

    @Test func `unreadable name servers keep their last value until readable`()
      async
    {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let file = try ResolverFile()
        defer { file.remove() }
        let monitor = try lab.host.run { try file.makeMonitor() }
        let servers = Servers(monitor)
        servers.expect(["10.1.0.1"])
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        file.name("10.1.0.2")
        #expect(monitor.path.nameServers.map(\.description) == ["10.1.0.1"])
        try Faults.limitDescriptors(to: nil)
        servers.expect(["10.1.0.1"], ["10.1.0.2"])
      }
    }

    @Test func `never readable name servers leave the path unknown at first`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        let file = try ResolverFile()
        defer { file.remove() }
        let monitor = try lab.host.run { try file.makeMonitor() }
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        #expect(monitor.path.status == .unknown)
        let servers = Servers(monitor)
        servers.expect(nil)
        try Faults.limitDescriptors(to: nil)
        servers.expect(nil, ["10.1.0.1"])
        // The missing file watch was noticed too.
        file.name("10.1.0.2")
        servers.expect(nil, ["10.1.0.1"], ["10.1.0.2"])
      }
    }
  }
}

extension Lab {
  /// Works like ``makeMonitor()``, but throws the library's errors only.
  fileprivate func makeMonitorOrRefusal() throws(ReachabilityMonitorError) -> ReachabilityMonitor {
    do {
      return try makeMonitor()
    } catch let error as ReachabilityMonitorError {
      throw error
    } catch {
      fatalError("\(error)")
    }
  }
}
#endif
