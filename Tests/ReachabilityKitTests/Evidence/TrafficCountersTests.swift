// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import Testing

@testable import ReachabilityKit

@Suite(.deadline) struct TrafficCountersTests {
  private func counters(_ text: String) -> TrafficCounters? { TrafficCounters(Array(text.utf8)) }

  @Test func `the counters are found by their names, among other protocols`() {
    let text = """
      Ip: Forwarding DefaultTTL
      Ip: 1 64
      Tcp: RtoAlgorithm MaxConn InSegs OutSegs RetransSegs InErrs
      Tcp: 1 -1 1234 1200 18446744073709551615 0
      Udp: InDatagrams
      Udp: 7

      """
    #expect(counters(text) == TrafficCounters(received: 1234, retransmitted: .max))
  }

  @Test(arguments: [
    "", "Tcp: InSegs RetransSegs\n", "Tcp: InSegs\nTcp: 1\n", "Tcp: InSegs RetransSegs\nTcp: 1\n",
    "Tcp: InSegs RetransSegs\nTcp: 1 x\n", "Tcp: InSegs RetransSegs\nTcp: 1 -1\n",
    "Tcp: InSegs RetransSegs\nTcp: 1 2\nTcp: 3 4\n",
  ])
  func `a text without the counters has none`(_ text: String) {
    #expect(counters(text) == nil)
  }
}
