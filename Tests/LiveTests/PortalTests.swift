// SPDX-License-Identifier: Apache-2.0
#if os(Linux)
import Foundation
import LiveSupport
import Testing

@testable import ReachabilityKit

/// Captive portal APIs that a router on a real link announces (RFC 8910).
extension LiveTests {
  @Suite("Portals")
  struct PortalTests {
    private func address(_ path: ReachabilityPath?) -> String? { path?.interfaces.first?.captivePortalAPI }

    @Test func `the address that a router announces is part of the path until its link loses the network`()
      throws
    {
      let watched = try PathLab()
      #expect(address(watched.monitor.path) == nil)
      let lab = watched.lab
      try lab.advertiseRouter(at: "p0", to: "v0", portal: "https://portal.example/api")
      watched.wait("the announcement") { address($0.last) == "https://portal.example/api" }
      #expect(address(watched.monitor.path) == "https://portal.example/api")

      // What RFC 8908 does not allow changes nothing.
      let count = watched.paths.count
      try lab.advertiseRouter(at: "p0", to: "v0", portal: "http://portal.example/other")
      try lab.advertiseRouter(at: "p0", to: "v0", portal: "urn:ietf:params:capport:unrestricted")
      watched.wait("the second announcement") { address($0.last) == ReachabilityPath.Interface.noPortal }
      #expect(!watched.paths[count...].contains { address($0) == "http://portal.example/other" })

      try lab.host.ip("link set v0 down")
      watched.wait("the loss of the link") { $0.last?.interfaces.isEmpty == true }
      try lab.host.ip("link set v0 up")
      try lab.host.ip("route add default via 10.1.0.254")
      watched.wait("the return of the link") { $0.last?.isSatisfied == true }
      #expect(address(watched.paths.last) == nil)
      #expect(address(watched.monitor.path) == nil)
    }

    @Test func `an observer that comes after an announcement learns of it from the monitor`() async throws {
      let lab = try Lab(.both)
      try lab.waitForAddresses()
      let monitor = try lab.host.run { ReachabilityMonitor(source: try LinuxNetworkSource(names: nil)) }
      try lab.advertiseRouter(at: "p0", to: "v0", portal: "https://portal.example/api")
      for await path in monitor.paths() {
        #expect(address(path) == "https://portal.example/api")
        break
      }
    }
  }
}
#endif
