// SPDX-License-Identifier: Apache-2.0
import AppleReachability
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import Testing

@Suite(.deadline) struct FactoryTests {
  @Test func `the internet connection is the default route`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("RW"), of: .defaultRoute)
    let reachability = network.withSystemConfiguration { Reachability.forInternetConnection() }
    #expect(reachability?.currentReachabilityStatus() == .reachableViaWWAN)
  }

  @Test func `the local network is the link-local network's address`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("Rd"), of: .address("169.254.0.0"))
    let reachability = network.withSystemConfiguration { Reachability.forLocalWiFi() }
    #expect(reachability?.currentReachabilityStatus() == .reachableViaWiFi)
  }

  @Test func `an IPv4 address is the target`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("RW"), of: .address("10.1.0.7"))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(443).bigEndian
    address.sin_addr.s_addr = UInt32(0x0a01_0007).bigEndian
    let reachability = network.withSystemConfiguration {
      unsafe withUnsafePointer(to: address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe Reachability(address: $0) }
      }
    }
    #expect(reachability?.currentReachabilityStatus() == .reachableViaWWAN)
  }

  @Test func `an IPv6 address is the target`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("RW"), of: .address("::1"))
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    let reachability = network.withSystemConfiguration {
      unsafe withUnsafePointer(to: address) { address in
        unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe Reachability(hostAddress: $0)
        }
      }
    }
    #expect(reachability?.currentReachabilityStatus() == .reachableViaWWAN)
  }

  @Test func `an address of another family creates no instance`() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    #expect(unsafe Reachability(address: &address) == nil)
  }

  @Test func `an empty name creates no instance`() {
    #expect(Reachability(hostName: "") == nil)
  }

  @Test func `an unresolved host is as reachable as the default route`() throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    let reachability = network.withSystemConfiguration { Reachability(hostName: "example.com") }
    #expect(reachability?.currentReachabilityStatus() == .notReachable)
    network.setStatus(ReachabilityStatus("RW"), of: .defaultRoute)
    #expect(reachability?.currentReachabilityStatus() == .reachableViaWWAN)
  }
}
