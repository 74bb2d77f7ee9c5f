// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import TestSupport
import Testing

@Suite(.deadline) struct IPPrefixTests {
  @Test(
    arguments: [
      ("10.1.2.3", 0, "0.0.0.0", "255.255.255.255"),
      ("10.1.2.3", 1, "0.0.0.0", "127.255.255.255"),
      ("255.1.2.3", 1, "128.0.0.0", "255.255.255.255"),
      ("10.1.2.3", 8, "10.0.0.0", "10.255.255.255"),
      ("10.1.2.3", 12, "10.0.0.0", "10.15.255.255"),
      ("10.1.2.3", 31, "10.1.2.2", "10.1.2.3"),
      ("10.1.2.3", 32, "10.1.2.3", "10.1.2.3"),
      ("fd00::1", 0, "::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      ("fd00::1", 1, "8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      ("fd00::1", 7, "fc00::", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
      ("2001:db8:1:2:3:4:5:6", 63, "2001:db8:1:2::", "2001:db8:1:3:ffff:ffff:ffff:ffff"),
      ("2001:db8:1:2:3:4:5:6", 64, "2001:db8:1:2::", "2001:db8:1:2:ffff:ffff:ffff:ffff"),
      ("2001:db8:1:2:3:4:5:6", 65, "2001:db8:1:2::", "2001:db8:1:2:7fff:ffff:ffff:ffff"),
      ("fd00::1", 127, "fd00::", "fd00::1"),
      ("fd00::1", 128, "fd00::1", "fd00::1"),
      ("::ffff:10.1.2.3", 96, "::ffff:0.0.0.0", "::ffff:255.255.255.255"),
    ] as [(ReachabilityAddress, Int, ReachabilityAddress, ReachabilityAddress)])
  func `a prefix contains exactly the range from its address to its last`(
    address: ReachabilityAddress, length: Int, first: ReachabilityAddress, last: ReachabilityAddress
  ) throws {
    let prefix = try #require(IPPrefix(address, length: length))
    #expect(prefix.address == first)
    #expect(prefix.last == last)
    #expect(prefix.length == length)
    #expect(prefix.contains(address))
    #expect(prefix.contains(first))
    #expect(prefix.contains(last))
    #expect(prefix.description == "\(first)/\(length)")
  }

  @Test(
    arguments: [
      ("10.1.2.3", -1), ("10.1.2.3", 33), ("10.1.2.3", 128), ("10.1.2.3", Int.max), ("10.1.2.3", Int.min),
      ("::", -1), ("::", 129), ("::", 256), ("::", Int.max), ("::", Int.min), ("::ffff:1.2.3.4", 129),
    ] as [(ReachabilityAddress, Int)])
  func `a length outside the address's width is rejected`(address: ReachabilityAddress, length: Int) {
    #expect(IPPrefix(address, length: length) == nil)
  }

  @Test(
    arguments: [
      ("10.1.0.0", 16, "10.0.255.255"), ("10.1.0.0", 16, "10.2.0.0"), ("10.1.2.3", 32, "10.1.2.2"),
      ("10.1.2.2", 31, "10.1.2.4"), ("128.0.0.0", 1, "127.255.255.255"), ("fd00::", 8, "fe00::"),
      ("fd00::1", 128, "fd00::"), ("fd00::", 127, "fd00::2"), ("8000::", 1, "7fff::"),
    ] as [(ReachabilityAddress, Int, ReachabilityAddress)])
  func `an address beyond either end is not contained`(
    start: ReachabilityAddress, length: Int, outside: ReachabilityAddress
  )
    throws
  {
    let prefix = try #require(IPPrefix(start, length: length))
    #expect(!prefix.contains(outside))
  }

  @Test func `a prefix contains no address of the other family`() throws {
    let everyV4 = try #require(IPPrefix("0.0.0.0", length: 0))
    let everyV6 = try #require(IPPrefix("::", length: 0))
    #expect(everyV4.contains("255.255.255.255"))
    #expect(!everyV4.contains("::"))
    #expect(!everyV4.contains("::ffff:10.1.0.2"))
    #expect(everyV6.contains("::ffff:10.1.0.2"))
    #expect(!everyV6.contains("0.0.0.0"))
    #expect(everyV4 != everyV6)
  }

  @Test func `prefixes that differ only beyond their length are equal`() throws {
    #expect(IPPrefix("10.1.2.3", length: 16) == IPPrefix("10.1.0.0", length: 16))
    #expect(IPPrefix("10.1.0.0", length: 16) != IPPrefix("10.1.0.0", length: 17))
    #expect(Set([IPPrefix("fd00::1", length: 64), IPPrefix("fd00::2", length: 64)]).count == 1)
  }

  @Test(arguments: [32, 128])
  func `at every length exactly the leading bits decide`(width: Int) throws {
    var generator = SeededGenerator(seed: UInt64(width))
    for length in 0...width {
      let address = ReachabilityAddress.random(bitWidth: width, using: &generator)
      let prefix = try #require(IPPrefix(address, length: length))
      for bit in 0..<width {
        let other = try #require(address.flipping(bit: bit))
        #expect(prefix.contains(other) == (bit >= length), "\(prefix) and \(other)")
        #expect((IPPrefix(other, length: length) == prefix) == (bit >= length))
      }
      #expect(IPPrefix(prefix.last, length: length) == prefix)
    }
  }
}

extension ReachabilityAddress {
  /// Returns the address with one bit flipped, counted from the first.
  fileprivate func flipping(bit: Int) -> ReachabilityAddress? {
    var octets = octets
    octets[bit / 8] ^= 0x80 >> (bit % 8)
    return ReachabilityAddress(octets: octets)
  }
}
