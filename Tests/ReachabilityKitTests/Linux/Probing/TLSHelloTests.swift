// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

/// The message with which a TLS client begins.
@Suite(.deadline) struct TLSHelloTests {
  private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }

  @Test(arguments: [150, 517, 1648, 9148, 16_389]) func `a hello has the wanted size`(count: Int) throws {
    let hello = try #require(TLSHello.bytes(padded: count))
    #expect(hello.count == count)
    // The lengths of the record and of the message in it.
    #expect(hello[0] == 22 && number(hello[3..<5]) == count - 5)
    #expect(hello[5] == 1 && number(hello[6..<9]) == count - 9)
    // Version, random bytes and session, then the suites, the compression, and the extensions up to the end.
    var place = 9 + 2 + 32 + 1
    place += 2 + number(hello[place..<(place + 2)]) + 2
    #expect(number(hello[place..<(place + 2)]) == count - place - 2)
    place += 2
    var types: [Int] = []
    while place < count {
      types.append(number(hello[place..<(place + 2)]))
      place += 4 + number(hello[(place + 2)..<(place + 4)])
    }
    #expect(place == count && types == [10, 11, 13, 23, 0xff01, 21])
  }

  @Test(arguments: [0, 60, 16_390, 65_536]) func `no hello is shorter than its parts or longer than a record`(
    count: Int
  ) {
    #expect(TLSHello.bytes(padded: count) == nil)
  }
}
