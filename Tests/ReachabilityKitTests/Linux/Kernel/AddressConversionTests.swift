#if os(Linux)
import DeadlineSupport
import InternetProtocol
import Testing
@testable import Netlink
@testable import ReachabilityKit

@Suite(.deadline) struct AddressConversionTests {
  @Test func `a recorded address has its on-link prefix`() throws {
    let expected: [(String, AssignedAddress?)] = [
      ("address-ipv4", AssignedAddress("10.1.0.1", 24, flags: 0x80)),
      ("address-ipv6", AssignedAddress("fd00:1::1", 64, flags: 0x2)),
      ("address-tentative", AssignedAddress("fd00:77::1", 64, flags: 0xc0)),
      (
        "address-point-to-point",
        IPPrefix("10.9.0.2", length: 32).map { AssignedAddress(address: "10.9.0.1", prefix: $0, flags: 0x80) }
      ),
    ]
    for (name, address) in expected {
      #expect(AssignedAddress(try recordedAddress(name)) == address, "\(name)")
    }
  }

  @Test func `a missing address or an invalid length converts to nil`() {
    #expect(AssignedAddress(AddressMessage()) == nil)
    #expect(AssignedAddress(.ipv4("10.1.0.1", 33, on: 2)) == nil)
    #expect(AssignedAddress(.ipv6("fd00::1", 129, on: 2)) == nil)
  }
}
#endif
