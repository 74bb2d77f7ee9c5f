// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@Suite(.deadline) struct ReachabilityAddressV6Tests {
  @Test(
    arguments: [
      // RFC 4291 section 2.2
      ("ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", 0xabcd_ef01_2345_6789_abcd_ef01_2345_6789),
      ("2001:DB8:0:0:8:800:200C:417A", 0x2001_0db8_0000_0000_0008_0800_200c_417a),
      ("2001:DB8::8:800:200C:417A", 0x2001_0db8_0000_0000_0008_0800_200c_417a),
      ("FF01:0:0:0:0:0:0:101", 0xff01_0000_0000_0000_0000_0000_0000_0101),
      ("FF01::101", 0xff01_0000_0000_0000_0000_0000_0000_0101),
      ("0:0:0:0:0:0:0:1", 1),
      ("::1", 1),
      ("0:0:0:0:0:0:0:0", 0),
      ("::", 0),
      ("0:0:0:0:0:0:13.1.68.3", 0x0d01_4403),
      ("::13.1.68.3", 0x0d01_4403),
      ("0:0:0:0:0:FFFF:129.144.52.38", 0xffff_8190_3426),
      ("::FFFF:129.144.52.38", 0xffff_8190_3426),
      // The limits of the grammar
      ("1::", 0x0001_0000_0000_0000_0000_0000_0000_0000),
      ("1:2:3:4:5:6:7::", 0x0001_0002_0003_0004_0005_0006_0007_0000),
      ("::2:3:4:5:6:7:8", 0x0000_0002_0003_0004_0005_0006_0007_0008),
      ("1::3:4:5:6:7:8", 0x0001_0000_0003_0004_0005_0006_0007_0008),
      ("1:2:3:4:5:6:255.255.255.255", 0x0001_0002_0003_0004_0005_0006_ffff_ffff),
      ("1:2:3:4:5::1.2.3.4", 0x0001_0002_0003_0004_0005_0000_0102_0304),
      ("::2:3:4:5:6:1.2.3.4", 0x0000_0002_0003_0004_0005_0006_0102_0304),
      ("0001:0002::00fF", 0x0001_0002_0000_0000_0000_0000_0000_00ff),
      ("ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", UInt128.max),
    ] as [(String, UInt128)])
  func `every form of RFC 4291 is parsed`(text: String, number: UInt128) throws {
    let address = try #require(ReachabilityAddress.V6(text))
    #expect(address.rawValue == number)
    #expect(address == ReachabilityAddress.V6(rawValue: number))
  }

  @Test(arguments: [
    "", "1", "1:2", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
    "1::2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:1.2.3.4", "1:2:3:4:5:1.2.3.4", "::1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6::1.2.3.4",
  ])
  func `a wrong number of groups is rejected`(text: String) {
    #expect(ReachabilityAddress.V6(text) == nil)
  }

  @Test(arguments: [
    ":", ":::", "::::", ":::1", "1:::", "1:::2", "::1::", "1::2::3", ":1", "1:", ":1::", "1::2:", "::1:",
    ":1:2:3:4:5:6:7",
    "1:2:3:4:5:6:7:", ":1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8:",
  ])
  func `a stray colon is rejected`(text: String) {
    #expect(ReachabilityAddress.V6(text) == nil)
  }

  @Test(arguments: [
    "12345::", "::00001", "::fffff", "::g", "::-1", "::+1", "::0x1", "::1/64", "[::1]", "::1 ", " ::1",
    ":: 1", "::1\n",
    "::\u{0}", "::1\u{0}", "::１", "::1\u{301}", "：：1",
  ])
  func `an invalid group is rejected`(text: String) {
    #expect(ReachabilityAddress.V6(text) == nil)
  }

  @Test(arguments: [
    "1.2.3.4", "1.2.3.4::", "::1.2.3.4:5", "1.2.3.4:1:2:3:4:5:6", "::1.2.3", "::1.2.3.4.5", "::1.2.3.256",
    "::01.2.3.4",
    "::1.2.3.04", "::.1.2.3", "::1.2.3.", "::ffff.1.2.3", "::ffff:1.2.3.4 ", "::.",
  ])
  func `an invalid or misplaced dotted tail is rejected`(text: String) {
    #expect(ReachabilityAddress.V6(text) == nil)
  }

  @Test(arguments: ["fe80::1%eth0", "fe80::1%2", "fe80::1%", "%eth0", "::%lo"])
  func `a zone is rejected`(text: String) {
    #expect(ReachabilityAddress.V6(text) == nil)
  }

  @Test(arguments: ["1:", ":", "1", "::1.", "1.", "::1:"])
  func `long text is rejected in less than quadratic time`(part: String) {
    let text = String(repeating: part, count: 10_000)
    let duration = ContinuousClock().measure { #expect(ReachabilityAddress.V6(text) == nil) }
    // Milliseconds; quadratic time would be a quarter of a minute and more.
    #expect(duration < .seconds(5))
  }

  @Test(arguments: [
    // Section 1: one address, many spellings
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:db8::1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:db8::0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:0db8::1:0:0:1", "2001:db8::1:0:0:1"),
    ("2001:db8:0:0:1::1", "2001:db8::1:0:0:1"),
    ("2001:db8:0000:0:1::1", "2001:db8::1:0:0:1"),
    ("2001:DB8:0:0:1::1", "2001:db8::1:0:0:1"),
    // Section 2.1: leading zeros
    ("2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1"),
    ("2001:db8:aaaa:bbbb:cccc:dddd:eeee:001", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1"),
    // Sections 2.2 and 4.2.2: one zero group is not shortened
    ("2001:db8:aaaa:bbbb:cccc:dddd::1", "2001:db8:aaaa:bbbb:cccc:dddd:0:1"),
    ("2001:db8::1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
    ("0:2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
    ("1:2:3:4:5:6:7:0", "1:2:3:4:5:6:7:0"),
    // Section 4.2.1: as short as possible
    ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
    ("2001:db8::0:1", "2001:db8::1"),
    // Section 4.2.3: the longest run, and the first of equal ones
    ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
    ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
    ("0:0:1:0:0:1:0:0", "::1:0:0:1:0:0"),
    ("1:0:0:1:0:0:0:0", "1:0:0:1::"),
    // Section 4.3: lower case
    ("2001:DB8:AAAA:BBBB:CCCC:DDDD:EEEE:FFFF", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff"),
    // Section 5: dotted decimal only for the mapped prefix
    ("0:0:0:0:0:ffff:c000:201", "::ffff:192.0.2.1"),
    ("::ffff:0:0", "::ffff:0.0.0.0"),
    ("::192.0.2.1", "::c000:201"),
    ("64:ff9b::192.0.2.1", "64:ff9b::c000:201"),
    ("::1:ffff:1.2.3.4", "::1:ffff:102:304"),
    // The ends
    ("0:0:0:0:0:0:0:0", "::"),
    ("0:0:0:0:0:0:0:1", "::1"),
    ("1:0:0:0:0:0:0:0", "1::"),
    ("0:0:3:4:5:6:7:8", "::3:4:5:6:7:8"),
    ("1:2:3:4:5:6:0:0", "1:2:3:4:5:6::"),
  ])
  func `the text form is that of RFC 5952`(text: String, canonical: String) throws {
    let address = try #require(ReachabilityAddress.V6(text))
    #expect(address.description == canonical)
    #expect(ReachabilityAddress.V6(canonical) == address)
  }

  @Test(
    arguments: [
      ("::ffff:0:0", 0), ("::ffff:127.0.0.1", 0x7f00_0001), ("::ffff:ffff:ffff", 0xffff_ffff),
      ("::fffe:1.2.3.4", nil), ("::1:ffff:1.2.3.4", nil), ("::1.2.3.4", nil), ("64:ff9b::1.2.3.4", nil),
      ("8000::ffff:1.2.3.4", nil), ("::", nil),
    ] as [(String, UInt32?)])
  func `only an IPv4-mapped address contains an IPv4 address`(text: String, inner: UInt32?) throws {
    let address = try #require(ReachabilityAddress.V6(text))
    #expect(address.mappedV4?.rawValue == inner)
  }
}
