// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Dispatch
import Foundation
import ReachabilityKit
import SystemConfiguration
import Testing

@Suite("Descriptions and errors", .deadline)
struct DescriptionTests {
  private let simulation = Simulation()

  /// The description without its two addresses.
  private func text(_ target: SCNetworkReachability) -> String {
    target.description.replacing(/0x[0-9a-f]+(?=[ \]])/, with: "0x")
  }

  @Test func `a description has Apple's form`() throws {
    #expect(
      text(try simulation.address("10.9.0.1")) == "<SCNetworkReachability 0x [0x]> {address = 10.9.0.1}")
    #expect(
      text(try simulation.pair("10.1.0.1", "10.9.0.1"))
        == "<SCNetworkReachability 0x [0x]> {local address = 10.1.0.1, remote address = 10.9.0.1}")
    #expect(
      text(try simulation.pair("10.1.0.1", nil))
        == "<SCNetworkReachability 0x [0x]> {local address = 10.1.0.1, default path}")
    #expect(
      text(try simulation.name("example.com")) == "<SCNetworkReachability 0x [0x]> {name = example.com}")
    #expect(text(try simulation.address("::")) == "<SCNetworkReachability 0x [0x]> {default path}")
  }

  @Test func `the description of a scheduled target has flags, interface and addresses`() throws {
    simulation.network.setStatus(.routed)
    let host = ReachabilityTarget.host(try ReachabilityTarget.HostName("example.com"))
    simulation.network.setStatus(.resolving, of: host)
    let target = try simulation.name("example.com")
    SCNetworkReachabilitySetDispatchQueue(target, DispatchQueue(label: "description"))
    #expect(
      text(target)
        == "<SCNetworkReachability 0x [0x]> {name = example.com (DNS query active), flags = 0x00000002, if_index = 2}"
    )
    simulation.network.setStatus(ReachabilityStatus.link.with("10.9.0.1", "fd00::1"), of: host)
    Deadline.wait("the name is resolved") { text(target).contains("complete") }
    #expect(
      text(target) == "<SCNetworkReachability 0x [0x]> {name = example.com (complete, 10.9.0.1, fd00::1), "
        + "flags = 0x00020002, if_index = 2}")
    simulation.network.setStatus(.notReachable(.nameNotFound), of: host)
    Deadline.wait("the name has no addresses") { text(target).contains("no addresses") }
    #expect(
      text(target) == "<SCNetworkReachability 0x [0x]> {name = example.com (complete, no addresses), "
        + "flags = 0x00000000, if_index = 0}")
    SCNetworkReachabilitySetDispatchQueue(target, nil)
    #expect(text(target) == "<SCNetworkReachability 0x [0x]> {name = example.com}")
  }

  @Test func `a description has the context's own description of its info`() throws {
    let target = try simulation.name("example.com")
    var number = 7
    unsafe withUnsafeMutablePointer(to: &number) { info in
      var context = unsafe SCNetworkReachabilityContext(
        version: 0, info: info, retain: nil, release: nil,
        copyDescription: { info in
          unsafe Unmanaged.passRetained("number \(info.load(as: Int.self))" as CFString)
        })
      unsafe SCNetworkReachabilitySetCallback(target, nil, &context)
      #expect(
        text(target) == "<SCNetworkReachability 0x [0x]> {name = example.com, context = number 7}")
      unsafe context.copyDescription = nil
      unsafe SCNetworkReachabilitySetCallback(target, nil, &context)
      #expect(text(target) == "<SCNetworkReachability 0x [0x]> {name = example.com}")
      SCNetworkReachabilitySetCallback(target, nil, nil)
    }
  }

  @Test func `Core Foundation's description of a target is the same`() throws {
    let target = try simulation.name("example.com")
    #expect(CFCopyDescription(target) as String == target.description)
  }

  @Test(arguments: [
    (0, "Success!"), (1001, "Failed!"), (1002, "Invalid argument"), (1003, "Permission denied"),
    (1004, "No such key"), (4001, "Network reachability cannot be determined"),
  ])
  func `a status has Apple's text`(status: Int32, words: String) {
    #expect(unsafe String(cString: SCErrorString(status)) == words)
  }

  @Test func `an error number has the system's text, which stays valid`() {
    let text = unsafe SCErrorString(ENETUNREACH)
    for other in Int32(1)...100 { _ = unsafe SCErrorString(other) }
    #expect(unsafe String(cString: text) == "Network is unreachable")
    #expect(unsafe SCErrorString(ENETUNREACH) == text)
  }

  @Test func `the last error is an NSError with domain, code and text`() {
    _ = unsafe SCNetworkReachabilityCreateWithName(nil, "")
    let error = SCCopyLastError()
    #expect(error.domain == kCFErrorDomainSystemConfiguration as String)
    #expect(error.code == kSCStatusInvalidArgument)
    #expect(error.localizedDescription == "Invalid argument")
  }

  @Test func `the length of a socket address follows from its family`() {
    var ipv4 = sockaddr_in()
    ipv4.sin_len = UInt8(MemoryLayout<sockaddr_in>.size)
    #expect(ipv4.sin_len == 0)
    ipv4.sin_family = sa_family_t(AF_INET)
    #expect(ipv4.sin_len == 16)
    var ipv6 = sockaddr_in6()
    ipv6.sin6_len = UInt8(MemoryLayout<sockaddr_in6>.size)
    ipv6.sin6_family = sa_family_t(AF_INET6)
    #expect(ipv6.sin6_len == 28)
    var any = sockaddr()
    any.sa_len = 16
    any.sa_family = sa_family_t(AF_INET6)
    #expect(any.sa_len == 28)
    var storage = sockaddr_storage()
    storage.ss_len = 28
    #expect(storage.ss_len == 0)
  }
}
