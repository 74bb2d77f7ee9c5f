// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@Suite(.deadline) struct ReachabilityAddressTests {
  @Test func `both families are parsed`() {
    let four = "10.1.0.2"
    let six = "fd00::1"
    let neither = "example.org"
    #expect(ReachabilityAddress(four) == .v4(.init(rawValue: 0x0a01_0002)))
    #expect(ReachabilityAddress(six) == .v6(.init(rawValue: 0xfd00_0000_0000_0000_0000_0000_0000_0001)))
    #expect(ReachabilityAddress(neither) == nil)
    #expect(ReachabilityAddress(four.dropLast(2)) == nil)
  }

  @Test func `a literal is an address`() {
    let address: ReachabilityAddress = "::ffff:10.1.0.2"
    #expect(address.description == "::ffff:10.1.0.2")
    #expect(address.bitWidth == 128)
    #expect(("10.1.0.2" as ReachabilityAddress).bitWidth == 32)
  }

  #if os(Linux) || os(macOS)
  @Test(.onOwnThreads) func `an invalid literal traps`() async {
    await #expect(processExitsWith: .failure) {
      let address: ReachabilityAddress = "10.1.0.256"
      _ = address
    }
  }
  #endif

  @Test(
    arguments: [
      ("1.2.3.4", [1, 2, 3, 4]),
      ("255.0.0.1", [255, 0, 0, 1]),
      ("102:304:506:708:90a:b0c:d0e:fff", [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 255]),
      ("ff00::1", [255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]),
    ] as [(ReachabilityAddress, [UInt8])])
  func `octets are in network order`(address: ReachabilityAddress, octets: [UInt8]) {
    #expect(address.octets == octets)
    #expect(ReachabilityAddress(octets: octets) == address)
    #expect(ReachabilityAddress(octets: ([9] + octets + [9])[1...octets.count]) == address)
    #expect(address.octets.count * 8 == address.bitWidth)
  }

  @Test func `only 4 or 16 octets are an address`() {
    for count in 0...40 {
      let address = ReachabilityAddress(octets: [UInt8](repeating: 1, count: count))
      #expect((address != nil) == (count == 4 || count == 16), "\(count) octets")
    }
  }

  @Test func `a mapped address differs from the IPv4 address in it`() {
    let mapped: ReachabilityAddress = "::ffff:10.1.0.2"
    let inner: ReachabilityAddress = "10.1.0.2"
    #expect(mapped != inner)
    #expect(mapped.unmapped == inner)
    #expect(inner.unmapped == inner)
    #expect(("fd00::1" as ReachabilityAddress).unmapped == "fd00::1")
    #expect(("::10.1.0.2" as ReachabilityAddress).unmapped == "::10.1.0.2")
  }

  @Test func `equal addresses have equal hashes`() {
    let spellings: [ReachabilityAddress] = ["fd00::1", "FD00:0::1", "fd00:0:0:0:0:0:0.0.0.1"]
    #expect(Set(spellings).count == 1)
    #expect(Set<ReachabilityAddress>(["0.0.0.1", "::1"]).count == 2)
  }

  @Test(
    arguments: [
      ("0.0.0.0", true), ("::", true), ("0.0.0.1", false), ("::1", false), ("1::", false),
      ("128.0.0.0", false),
      ("::ffff:0.0.0.0", false),
    ] as [(ReachabilityAddress, Bool)])
  func `the unspecified address is all zeros`(address: ReachabilityAddress, expected: Bool) {
    #expect(address.isUnspecified == expected)
  }

  @Test(
    arguments: [
      ("127.0.0.0", true), ("127.0.0.1", true), ("127.255.255.255", true), ("126.255.255.255", false),
      ("128.0.0.0", false), ("0.0.0.127", false), ("::1", true), ("::", false), ("::2", false),
      ("1::1", false),
      ("::ffff:127.0.0.1", false),
    ] as [(ReachabilityAddress, Bool)])
  func `loopback is 127 slash 8 and one IPv6 address`(address: ReachabilityAddress, expected: Bool) {
    #expect(address.isLoopback == expected)
  }

  @Test(
    arguments: [
      ("223.255.255.255", false), ("224.0.0.0", true), ("239.255.255.255", true), ("240.0.0.0", false),
      ("255.255.255.255", false), ("feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("ff00::", true),
      ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true), ("::ffff:224.0.0.1", false),
    ] as [(ReachabilityAddress, Bool)])
  func `multicast is 224 slash 4 and ff00 slash 8`(address: ReachabilityAddress, expected: Bool) {
    #expect(address.isMulticast == expected)
  }

  @Test(
    arguments: [
      // Link-local unicast is fe80::/10
      ("fe80::1", true), ("fe80::", true), ("febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true),
      ("fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false), ("fec0::1", false), ("7e80::1", false),
      // Multicast by its scope, regardless of its flags
      ("ff00::1", false), ("ff01::1", true), ("ff02::1", true), ("ff02::1:ff00:1", true), ("ff03::1", false),
      ("ff04::1", false), ("ff05::1", false), ("ff08::1", false), ("ff0e::1", false), ("ff0f::1", false),
      ("ff11::1", true), ("ff12::1", true), ("ff32::1", true), ("fff1::1", true), ("fff2::1", true),
      ("ff20::2", false),
      ("ff22::", true), ("ff25::2", false),
      // No other address
      ("::1", false), ("::", false), ("fd00::1", false), ("2001:db8::1", false), ("fe02::1", false),
      ("fd02::1", false),
      ("::ffff:169.254.0.1", false), ("169.254.0.1", false), ("224.0.0.1", false), ("127.0.0.1", false),
    ] as [(ReachabilityAddress, Bool)])
  func `link-local and narrower IPv6 addresses need a zone`(address: ReachabilityAddress, expected: Bool) {
    #expect(address.needsZone == expected)
    if expected { #expect(address.canHaveZone) }
  }

  @Test(
    arguments: [
      ("ff03::1", true), ("ff04::1", true), ("ff05::1", true), ("ff15::1", true), ("ff00::1", false),
      ("ff06::1", false), ("ff08::1", false), ("ff0e::1", false), ("fd00::1", false), ("fec0::1", false),
      ("::1", false), ("239.0.0.1", false),
    ] as [(ReachabilityAddress, Bool)])
  func `multicast addresses of up to site-local scope may have a zone`(
    address: ReachabilityAddress, expected: Bool
  ) {
    #expect(address.canHaveZone == expected)
  }
}
