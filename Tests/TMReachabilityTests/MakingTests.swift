// SPDX-License-Identifier: Apache-2.0
import ClassicSupport
import DeadlineSupport
import Foundation
import ReachabilityKit
import ReachabilityTesting
import SystemConfiguration
import TMReachability
import Testing

@Suite(.deadline) struct MakingTests {
  /// Creates a network with a single reachable target, over a cellular link.
  private func network(_ target: ReachabilityTarget) -> SimulatedNetwork {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("RW"), of: target)
    return network
  }

  @Test func `the internet connection is the default route`() {
    let reachability = network(.defaultRoute).withSystemConfiguration { Reachability.forInternetConnection() }
    #expect(reachability?.currentReachabilityStatus() == .ReachableViaWWAN)
  }

  @Test(
    arguments: [
      ("Rd", .ReachableViaWiFi), ("Rdl", .ReachableViaWiFi), ("R", .NotReachable), ("Rt", .NotReachable),
      ("Rdt", .NotReachable), ("RWt", .NotReachable),
    ] as [(String, NetworkStatus)])
  func `a direct link-local address means a local network`(flags: String, status: NetworkStatus) {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus(flags), of: .address("169.254.0.0"))
    let reachability = network.withSystemConfiguration { Reachability.forLocalWiFi() }
    #expect(reachability?.currentReachabilityStatus() == status)
    #expect(reachability?.reachabilityFlags().isEmpty == (status == .NotReachable))
    #expect(reachability?.isReachableViaWWAN() == false)
  }

  @Test func `an IPv4 address is the target`() {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x0a01_0007).bigEndian
    let reachability = network(.address("10.1.0.7")).withSystemConfiguration {
      unsafe Reachability(address: &address)
    }
    #expect(reachability?.currentReachabilityStatus() == .ReachableViaWWAN)
  }

  @Test func `an IPv6 address is the target`() {
    var address = sockaddr_in6()
    address.sin6_family = sa_family_t(AF_INET6)
    address.sin6_addr = in6addr_loopback
    let reachability = network(.address("::1")).withSystemConfiguration {
      unsafe Reachability(address: &address)
    }
    #expect(reachability?.currentReachabilityStatus() == .ReachableViaWWAN)
  }

  @Test func `an address of another family creates no instance`() {
    var address = sockaddr()
    address.sa_family = sa_family_t(AF_UNIX)
    #expect(unsafe Reachability(address: &address) == nil)
  }

  @Test(arguments: [
    ("http://192.0.2.7/", "192.0.2.7"), ("https://192.0.2.7:8443/path", "192.0.2.7"),
    ("http://[2001:db8::7]/", "2001:db8::7"), ("https://user@[2001:db8::7]:444/", "2001:db8::7"),
  ])
  func `an address in a URL is the target`(url: String, address: String) throws {
    let target = ReachabilityTarget.address(try #require(ReachabilityAddress(address)))
    let url = try #require(URL(string: url))
    let reachability = network(target).withSystemConfiguration { Reachability(url: url) }
    #expect(reachability?.currentReachabilityStatus() == .ReachableViaWWAN)
  }

  @Test(arguments: ["http://example.com/", "ftp://user:secret@example.com:21/file", "//example.com"])
  func `a name in a URL is looked up`(url: String) async throws {
    let network = SimulatedNetwork(.notReachable(.noRoute))
    network.setStatus(ReachabilityStatus("RW"), of: .host(try ReachabilityTarget.HostName("example.com")))
    let url = try #require(URL(string: url))
    let made = network.withSystemConfiguration { Reachability(url: url) }
    let reachability = try #require(made)
    // An unresolved name is as reachable as the default route.
    #expect(!reachability.isReachable())
    let events = Log<NetworkStatus?>()
    reachability.reachabilityBlock = { reachability, _ in
      events.append(reachability?.currentReachabilityStatus())
    }
    reachability.startNotifier()
    #expect(try await events.wait(for: 1) == [.ReachableViaWWAN])
    reachability.stopNotifier()
  }

  @Test(arguments: ["file:///etc/hosts", "mailto:somebody@example.com", "path", "http:///path"])
  func `a URL without a host creates no instance`(url: String) throws {
    #expect(Reachability(url: try #require(URL(string: url))) == nil)
  }

  @Test func `both spellings create an instance for a host, none for an empty name`() {
    let network = network(.defaultRoute)
    let hosts = network.withSystemConfiguration {
      [Reachability(hostname: "example.com"), Reachability(hostName: "example.com")]
    }
    #expect(hosts.map { $0?.currentReachabilityStatus() } == [.ReachableViaWWAN, .ReachableViaWWAN])
    #expect(Reachability(hostname: "") == nil)
    #expect(Reachability(hostName: "") == nil)
  }

  @Test func `an existing reference is the target`() throws {
    let made = network(.address("192.0.2.7")).withSystemConfiguration {
      unsafe SCNetworkReachabilityCreateWithName(nil, "192.0.2.7")
    }
    let reachability = Reachability(reachabilityRef: try #require(made))
    #expect(reachability?.currentReachabilityStatus() == .ReachableViaWWAN)
  }
}
