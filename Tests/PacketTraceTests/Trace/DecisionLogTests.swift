// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@testable import PacketTrace

@Suite(.deadline) struct DecisionLogTests {
  private static let flow = Flow(.tcp, to: "10.9.0.1", port: 443, from: "10.1.0.1", localPort: 40000)
  private static let table = TraceTable(for: flow, randomNumber: 7)
  private static let probe = TestPacket(from: "10.1.0.1", 40000, to: "10.9.0.1", 443)
  private static let answer = TestPacket(from: "10.9.0.1", 443, to: "10.1.0.1", 40000)
  private static let foreign = TestPacket(from: "10.1.0.1", 50000, to: "10.9.0.2", 443)

  private func trace(
    _ id: UInt32, _ packet: TestPacket? = nil, table: String = "site", chain: String = "out",
    rule: UInt64? = nil, _ verdict: FilterVerdict? = nil, policy: UInt32? = nil
  ) -> TraceMessage {
    var message = TraceMessage()
    (message.family, message.id) = (.inet, id)
    (message.table, message.chain) = (Array(table.utf8), Array(chain.utf8))
    (message.rule, message.verdict, message.policy) = (rule, verdict, policy)
    message.networkHeader = packet?.network ?? []
    message.transportHeader = packet?.transport ?? []
    return message
  }

  private func log(_ traces: TraceMessage...) -> DecisionLog {
    var log = DecisionLog(of: Self.flow, markedBy: Self.table)
    for trace in traces { log.add(trace) }
    return log
  }

  private static let drop = FilterVerdict(0)
  private static let accept = FilterVerdict(1)
  private static let end = FilterVerdict(-1)

  @Test func `the rule that drops is the decision, also in a chain without headers`() throws {
    let log = log(
      trace(1, Self.probe, rule: 4, FilterVerdict(-3, to: Array("deep".utf8))),
      trace(1, chain: "deep", rule: 6, Self.drop))
    let drop = try #require(log.drop)
    #expect(drop.rule == 6 && drop.chain == Array("deep".utf8) && drop.firstChain == Array("out".utf8))
    #expect(log.decisions.count == 2 && log.hasSeenProbe && log.answerDrop == nil)
  }

  @Test func `a policy that drops is the decision, and an accepting one is not`() throws {
    let log = log(
      trace(1, Self.probe, Self.end), trace(1, policy: 1), trace(1, Self.probe, chain: "post", Self.end),
      trace(1, chain: "post", policy: 0))
    let drop = try #require(log.drop)
    #expect(drop.isPolicy && drop.rule == nil && drop.chain == Array("post".utf8))
    // The ends of chains decide nothing.
    #expect(log.decisions.map(\.verdict.kind) == [.accept, .drop])
  }

  @Test func `a drop of the answer is distinguished, in either order`() {
    let log = log(
      trace(2, Self.answer, chain: "in", rule: 9, Self.drop),
      trace(1, Self.probe, rule: 6, Self.drop))
    #expect(log.answerDrop?.rule == 9 && log.drop?.rule == 6)
  }

  @Test func `traces of other packets are dropped, with any number and headers`() {
    let log = log(
      trace(1, Self.probe, rule: 4, Self.accept),
      trace(5, Self.foreign, rule: 6, Self.drop), trace(5, rule: 6, Self.drop), trace(6, rule: 6, Self.drop),
      // The kernel gives the number of a packet that is gone to another one.
      trace(1, Self.foreign, rule: 6, Self.drop), trace(1, rule: 6, Self.drop),
      trace(7, TestPacket(17, from: "10.1.0.1", 40000, to: "10.9.0.1", 443), rule: 6, Self.drop))
    #expect(log.drop == nil && log.decisions.map(\.rule) == [4])
  }

  @Test func `a packet whose one end NAT has replaced counts only with a known number`() {
    let replaced = TestPacket(from: "192.0.2.1", 1024, to: "10.9.0.1", 443)
    #expect(log(trace(1, replaced, rule: 6, Self.drop)).drop == nil)
    let log = log(
      trace(1, Self.probe, rule: 4, Self.accept), trace(1, replaced, chain: "e", rule: 6, Self.drop))
    #expect(log.drop?.rule == 6)
    // An answer with the number of the probe is another packet.
    let backward = TestPacket(from: "10.9.0.1", 443, to: "192.0.2.1", 1024)
    #expect(
      self.log(trace(1, Self.probe, rule: 4, Self.accept), trace(1, backward, rule: 6, Self.drop)).drop == nil
    )
  }

  @Test func `a packet that a rule of the table has marked counts, whatever NAT made of it`() {
    let replaced = TestPacket(from: "10.1.0.9", 8443, to: "10.1.0.1", 40000)
    let marked = trace(1, replaced, table: Self.table.name, chain: "input", rule: 4, Self.end)
    let dropped = trace(1, replaced, chain: "in", rule: 6, Self.drop)
    #expect(log(marked, dropped).answerDrop?.rule == 6)
    // A table of the same name in another family is another's.
    var foreign = marked
    foreign.family = .ipv4
    #expect(log(foreign, dropped).answerDrop == nil)
  }

  @Test func `decisions of the table that marks the packets do not count`() {
    let log = log(
      trace(1, Self.probe, table: Self.table.name, chain: "output", rule: 4, Self.end),
      trace(1, table: Self.table.name, policy: 1))
    #expect(log.decisions == [] && log.hasSeenProbe)
  }

  @Test func `a queue has the packet until another decision about it`() {
    let queue = trace(1, Self.probe, rule: 4, FilterVerdict(7 << 16 | 3))
    #expect(log(queue).handover?.rule == 4)
    #expect(log(queue, trace(1, Self.probe, chain: "post", policy: 1)).handover == nil)
    #expect(log(queue, trace(2, Self.answer, chain: "in", policy: 1)).handover?.rule == 4)
  }

  @Test func `however many packets and decisions there are, only the first are kept`() {
    var log = DecisionLog(of: Self.flow, markedBy: Self.table)
    for id in 0..<UInt32(1000) { log.add(trace(id, Self.probe, rule: UInt64(id), Self.accept)) }
    #expect(log.decisions.count == 64)
    log.add(trace(3, rule: 6, Self.drop))
    #expect(log.drop?.rule == 6)
  }
}
