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
  /// A process that may open no more descriptors.
  @Suite("No descriptors left")
  struct DescriptorLimitTests {
    /// Opens descriptors until there are no gaps between them, and returns the first number that is free.
    private static func fillGaps() throws -> Int {
      while true {
        let number = unsafe open("/dev/null", O_RDONLY | O_CLOEXEC)
        let highest = OpenDescriptor.all.map(\.number).max() ?? number
        if number == highest { return Int(number) + 1 }
      }
    }

    @Test func `a monitor is made with enough descriptors or not at all, and nothing is left behind`() async {
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
            #expect(monitor.status(of: FaultLab.far) == expected)
          } catch {
            refusals += 1
            #expect(error.code == .systemUnavailable)
            #expect(error.errorNumber == EMFILE)
            #expect(error.description.hasPrefix("the kernel's network tables can't be read: could not "))
            #expect(error.description.hasSuffix(": Too many open files"))
          }
          // The thread that made it lets it go a moment later.
          let deadline = ContinuousClock.now.advanced(by: .seconds(5))
          while OpenDescriptor.all != before, ContinuousClock.now < deadline { sched_yield() }
          let left = OpenDescriptor.all.subtracting(before).map(\.name)
          #expect(left == [], "\(left) with \(spare) to spare")
        }
        #expect((1...16).contains(refusals), "\(refusals) refusals")
      }
    }

    @Test func `the shared monitor is made when descriptors are free again`() async {
      await #expect(processExitsWith: .success) {
        let lab = try Lab(.ipv4Only)
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        let error = #expect(throws: ReachabilityMonitorError.self) {
          try lab.host.run { try ReachabilityMonitor.shared }
        }
        #expect(error?.errorNumber == EMFILE)
        try Faults.limitDescriptors(to: nil)
        #expect(try lab.host.run { try ReachabilityMonitor.shared }.status(of: FaultLab.far).isReachable)
      }
    }

    @Test func `a monitor that runs goes on, for old observers and new ones`() async {
      await #expect(processExitsWith: .success) {
        let fault = try FaultLab()
        let path = fault.monitor.path
        try Faults.limitDescriptors(to: DescriptorLimitTests.fillGaps())
        #expect(path.isSatisfied && fault.monitor.path == path)
        let late = try fault.lab.host.run { [monitor = fault.monitor] in Recorder(monitor, [.defaultRoute]) }
        late.wait("the initial event") { $0[.defaultRoute]?.last?.isReachable == true }
        // What makes the change takes some to be started.
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

    /// A file that names name servers, of which one can be replaced by another without opening anything.
    private struct ResolverFile {
      let path: String
      private let file: Int32

      init() throws {
        path = "/tmp/resolv-\(getpid())"
        file = unsafe open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        name("10.1.0.1")
      }

      /// Puts a name server in the place of the one that is named.
      func name(_ server: String) {
        let text = "nameserver \(server)\n"
        _ = unsafe pwrite(file, text, text.utf8.count, 0)
      }

      func remove() { unsafe unlink(path) }

      /// Creates a monitor that reads this file.
      ///
      /// It does not look for a system bus, since the socket for that would close after the gaps are filled.
      func makeMonitor() throws -> ReachabilityMonitor {
        ReachabilityMonitor(
          source: try LinuxNetworkSource(resolverConfiguration: path, metering: { _ in nil }))
      }
    }

    /// What an observer of the path is told of name servers; `nil` while the path is unknown.
    private final class Servers: Sendable {
      private let told = Mutex<[[String]?]>([])
      private let news = DispatchSemaphore(value: 0)
      private let token = Held<ReachabilityObservation>()

      init(_ monitor: ReachabilityMonitor) {
        token.value = monitor.observePath(on: DispatchQueue(label: "servers")) { [weak self] path in
          self?.told.withLock {
            $0.append(path.status == .unknown ? nil : path.nameServers.map(\.description))
          }
          self?.news.signal()
        }
      }

      /// Waits until all that was told are these.
      func expect(_ expected: [String]?...) {
        let deadline = DispatchTime.now() + .seconds(10)
        while told.withLock({ $0 != expected }) {
          guard news.wait(timeout: deadline) == .timedOut else { continue }
          Issue.record("told \(told.withLock { $0 }), and not \(expected)")
          return
        }
      }
    }

    @Test func `name servers that can't be read any more stay those that they were, and are read later`()
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

    @Test func `name servers that could never be read leave the path unknown, and are heard of later`() async
    {
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
        // That there is no watch was noticed too.
        file.name("10.1.0.2")
        servers.expect(nil, ["10.1.0.1"], ["10.1.0.2"])
      }
    }
  }
}

extension Lab {
  /// As ``makeMonitor()``, but with the library's own errors only.
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
