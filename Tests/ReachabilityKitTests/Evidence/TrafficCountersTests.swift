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
    #expect(counters(text) == TrafficCounters(received: 1234, sent: 1200, retransmitted: .max))
  }

  @Test(arguments: [
    "", "Tcp: InSegs OutSegs RetransSegs\n", "Tcp: InSegs\nTcp: 1\n",
    "Tcp: InSegs OutSegs RetransSegs\nTcp: 1 2\n",
    "Tcp: InSegs OutSegs RetransSegs\nTcp: 1 2 x\n", "Tcp: InSegs OutSegs RetransSegs\nTcp: 1 2 -1\n",
    "Tcp: InSegs OutSegs RetransSegs\nTcp: 1 2 3\nTcp: 3 4 5\n",
  ])
  func `a text without the counters has none`(_ text: String) {
    #expect(counters(text) == nil)
  }
}
