// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@Suite(.deadline) struct ReachabilityAddressV4Tests {
  @Test(
    arguments: [
      ("0.0.0.0", 0), ("0.0.0.1", 1), ("1.2.3.4", 0x0102_0304), ("10.1.0.2", 0x0a01_0002),
      ("127.0.0.1", 0x7f00_0001), ("169.254.0.1", 0xa9fe_0001), ("224.0.0.251", 0xe000_00fb),
      ("100.99.9.10", 0x6463_090a), ("255.255.255.255", 0xffff_ffff),
    ] as [(String, UInt32)])
  func `four decimal numbers are parsed and printed back`(text: String, number: UInt32) throws {
    let address = try #require(ReachabilityAddress.V4(text))
    #expect(address.rawValue == number)
    #expect(address == ReachabilityAddress.V4(rawValue: number))
    #expect(address.description == text)
  }

  @Test(arguments: ["01.2.3.4", "1.02.3.4", "1.2.003.4", "1.2.3.00", "00.0.0.0", "1.2.3.010"])
  func `a leading zero is rejected`(text: String) {
    #expect(ReachabilityAddress.V4(text) == nil)
  }

  @Test(arguments: [
    "", ".", "...", "1", "1.2", "1.2.3", "127.1", "1.2.3.4.5", "1.2.3.4.", ".1.2.3.4", "1..2.3", "1.2.3.",
  ])
  func `more or fewer than four numbers are rejected`(text: String) {
    #expect(ReachabilityAddress.V4(text) == nil)
  }

  @Test(arguments: [
    "256.0.0.0", "0.0.0.256", "1.2.3.999", "1.2.3.1000", "1.2.3.4294967296", "2130706433",
    "1.2.3.18446744073709551617",
  ])
  func `a number above 255 is rejected`(text: String) {
    #expect(ReachabilityAddress.V4(text) == nil)
  }

  @Test(arguments: [
    "0x7f.0.0.1", "0x7f.1", "1.2.3.a", "a.b.c.d", "1.2.3.-4", "+1.2.3.4", "1,2,3,4", "1.2.3.4/8",
    "1.2.3.4:80",
    "1.2.3.4%eth0", "::1", "localhost", "1.2.3.4\u{0}", "1.2.3.\u{0}", "٣.2.3.4", "1.2.3.４", "1。2。3。4",
    "1.2.3.4\u{301}",
  ])
  func `a character other than a decimal digit is rejected`(text: String) {
    #expect(ReachabilityAddress.V4(text) == nil)
  }

  @Test(arguments: [
    " 1.2.3.4", "1.2.3.4 ", "1. 2.3.4", "1.2.3.4\n", "\t1.2.3.4", "1.2.3.4\r\n", "\u{feff}1.2.3.4",
  ])
  func `white space is rejected`(text: String) {
    #expect(ReachabilityAddress.V4(text) == nil)
  }

  @Test func `a part of a longer text is parsed`() {
    let line = "default via 10.1.0.2 dev eth0"
    #expect(
      line.split(separator: " ").compactMap { ReachabilityAddress.V4($0) } == [
        ReachabilityAddress.V4(rawValue: 0x0a01_0002)
      ])
  }
}
