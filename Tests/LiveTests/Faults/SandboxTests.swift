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
  /// Sandboxes that refuse system calls, as containers and Android do.
  ///
  /// Each is a real seccomp filter for one thread.
  @Suite("Sandboxes")
  struct SandboxTests {
    /// A refused call, and the attempt that the monitor's error names.
    struct Refusal: CustomTestStringConvertible, Sendable {
      var call: String
      var argument: (position: Int32, value: UInt32)?
      var attempt: String

      init(_ call: String, _ position: Int32? = nil, _ value: Int32 = 0, _ attempt: String) {
        self.call = call
        argument = position.map { ($0, UInt32(bitPattern: value)) }
        self.attempt = attempt
      }

      var testDescription: String { "\(call) \(argument.map { "\($0)" } ?? "")" }
    }

    private static let necessary = [
      Refusal("socket", 0, AF_NETLINK, "open a netlink socket"),
      // NETLINK_ROUTE.
      Refusal("socket", 2, 0, "open a netlink socket"),
      Refusal("connect", nil, 0, "open a netlink socket"),
      Refusal("getsockname", nil, 0, "open a netlink socket"),
      Refusal("setsockopt", nil, 0, "open a netlink socket"),
      // SOL_NETLINK.
      Refusal("setsockopt", 1, 270, "subscribe to changes"),
      Refusal("sendto", nil, 0, "list links"),
      Refusal("recvfrom", nil, 0, "list links"),
      Refusal("eventfd2", nil, 0, "prepare to wait for changes"),
      Refusal("timerfd_create", nil, 0, "prepare to wait for changes"),
      Refusal("socket", 0, AF_INET, "prepare to wait for changes"),
    ]

    @Test(arguments: necessary, [EPERM, EACCES, EAFNOSUPPORT, ENOSYS])
    func `a refused necessary call fails the initialiser with the reason`(
      _ refusal: Refusal, _ number: Int32
    ) throws {
      let lab = try Self.lab.get()
      let error = #expect(throws: ReachabilityMonitorError.self) {
        try lab.host.runApart {
          try Faults.refuse(refusal.call, where: refusal.argument, with: number)
          return try ReachabilityMonitor()
        }
      }
      #expect(error?.code == .systemUnavailable)
      #expect(error?.errorNumber == number)
      let words = unsafe String(cString: strerror(number))
      #expect(
        error?.description
          == "the kernel's network tables can't be read: could not \(refusal.attempt): \(words)")
    }

    private static let dispensable = [
      // Android does not let apps bind such sockets.
      Refusal("bind", nil, 0, ""),
      // NETLINK_GENERIC, which identifies Wi-Fi.
      Refusal("socket", 2, 16, ""),
      Refusal("socket", 0, AF_UNIX, ""),
      Refusal("inotify_init1", nil, 0, ""),
      // Extended errors: NETLINK_CAP_ACK and NETLINK_EXT_ACK.
      Refusal("setsockopt", 2, 10, ""),
      Refusal("setsockopt", 2, 11, ""),
      Refusal("setsockopt", 2, SO_RCVBUF, ""),
    ]

    @Test(arguments: dispensable)
    func `a refused optional call does not stop deliveries`(_ refusal: Refusal) throws {
      let lab = try Lab(.ipv4Only)
      let expected = try ReachabilityStatus.via("10.1.0.254", from: "10.1.0.1", lab.interface("v0"))
      let (monitor, recorder) = try lab.host.runApart {
        try Faults.refuse(refusal.call, where: refusal.argument, with: EACCES)
        let monitor = try ReachabilityMonitor()
        return (monitor, Recorder(monitor, [FaultLab.far]))
      }
      recorder.wait("the initial event") { $0[FaultLab.far] == [expected] }
      #expect(monitor.path.isSatisfied)
      try lab.host.ip("route del default")
      recorder.wait("the change") { $0[FaultLab.far] == [expected, .notReachable(.noRoute)] }
    }

    @Test(arguments: ["sendto", "recvfrom"])
    func `a later sandbox makes statuses unknown without using the processor`(
      _ call: String
    ) async {
      await #expect(processExitsWith: .success) { [call] in
        let lab = try Lab(.ipv4Only)
        let unknown = ReachabilityStatus.unknown(.systemError)
        let recorder = try lab.host.runApart {
          let monitor = try ReachabilityMonitor.startingThreadsFromCallers()
          try Faults.refuse(call, with: EPERM)
          #expect(monitor.currentStatus(of: FaultLab.far) == unknown)
          #expect(monitor.path.status == .unknown)
          // The observing thread is in the sandbox too.
          return Recorder(monitor, [FaultLab.far, FaultLab.near])
        }
        recorder.wait("the initial events") { $0 == [FaultLab.far: [unknown], FaultLab.near: [unknown]] }
        try lab.host.ip("route del default")
        let load = idleLoad()
        #expect(load < 0.05, "\(load)")
        #expect(recorder.statuses == [FaultLab.far: [unknown], FaultLab.near: [unknown]])
      }
    }

    private static let lab = Result { try Lab(.ipv4Only) }
  }
}
#endif
