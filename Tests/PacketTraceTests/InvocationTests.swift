// SPDX-License-Identifier: Apache-2.0
import CommandLineSupport
import DeadlineSupport
import Testing

@testable import ReachabilityTraceCLI

@Suite(.deadline) struct `The arguments of trace` {
  private func read(_ arguments: String...) throws -> TraceInvocation {
    try TraceInvocation(ParsedOptions(["reachability-trace"] + arguments, of: TraceInvocation.description))
  }

  @Test func `a target has protocol, address and port`() throws {
    let tcp = try read("tcp://10.9.0.1:443")
    #expect(tcp.transport == .tcp && tcp.address == "10.9.0.1" && tcp.port == 443 && tcp.interface == nil)
    #expect(tcp.timeout == .seconds(3) && !tcp.isJSON && tcp.addressText == "10.9.0.1")
    let udp = try read("udp://[fe80::1%eth0]:53", "--timeout", "10s", "--json", "--mark", "0x42")
    #expect(udp.transport == .udp && udp.address == "fe80::1" && udp.interface == "eth0" && udp.mark == 66)
    #expect(udp.timeout == .seconds(10) && udp.isJSON && udp.addressText == "fe80::1%eth0")
  }

  @Test(arguments: [
    "10.9.0.1", "tcp://10.9.0.1", "tcp://10.9.0.1:0", "tcp://10.9.0.1:65536", "http://10.9.0.1:80",
    "tcp://example.com:80", "tcp://fd00::1:80", "tcp://[10.9.0.1]:80", "tcp://10.9.0.1%eth0:80",
    "tcp://[fd00::1%eth0]:80", "tcp://[fe80::1]:80", "tcp://[fe80::1%]:80", "tcp://0.0.0.0:80",
    "tcp://224.0.0.1:80", "tcp://10.9.0.1:80/path", "tcp://user@10.9.0.1:80", "", "tcp://:80", "tcp://[]:80",
  ])
  func `a target that is not exactly that is a usage error`(_ target: String) {
    #expect(throws: UsageError.self) { try read(target) }
  }

  @Test(arguments: [
    ["tcp://10.9.0.1:443", "tcp://10.9.0.2:443"], [], ["tcp://10.9.0.1:443", "--timeout", "11s"],
    ["tcp://10.9.0.1:443", "--timeout", "99ms"], ["tcp://10.9.0.1:443", "--from", "fd00::1"],
    ["tcp://[fe80::1%eth0]:443", "--interface", "eth1"], ["tcp://10.9.0.1:443", "--interface", ""],
    ["tcp://10.9.0.1:443", "--mark", "-1"],
  ])
  func `other counts, limits and contradictions are usage errors`(_ arguments: [String]) {
    #expect(throws: UsageError.self) {
      try TraceInvocation(ParsedOptions(["reachability-trace"] + arguments, of: TraceInvocation.description))
    }
  }
}
