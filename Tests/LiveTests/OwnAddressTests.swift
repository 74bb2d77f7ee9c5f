#if os(Linux)
import LiveSupport
import Reachability
import Testing

extension LiveTests {
  /// Which addresses are this machine's, to send to and to send from.
  @Suite("Addresses of this machine")
  struct OwnAddressTests {
    @Test func `an anycast address that this machine answers to is local at its interface`() throws {
      let lab = try Lab(defaultRoutes: false)
      // A router answers to the address of each subnet.
      try lab.host.writeSysctl("net/ipv6/conf/v0/forwarding", "1")
      let v0 = try lab.interface("v0")
      let monitor = try lab.makeMonitor()
      var expected = Status.local("fd00:1::", v0)
      expected.source = "fd00:1::1"
      #expect(monitor.status(of: .address("fd00:1::")) == expected)
      #expect(monitor.status(of: Target(.address("fd00:1::"), interface: .name("v0"))) == expected)
      try lab.peer.ip("link set p0 down")
      #expect(monitor.status(of: .address("fd00:1::")) == expected)
    }
  }
}
#endif
