// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Testing

@testable import PacketTrace

/// A packet of a test: its headers.
struct TestPacket {
  var network: [UInt8]
  var transport: [UInt8]

  init(
    _ number: UInt8 = 6, from source: ReachabilityAddress, _ sourcePort: UInt16,
    to destination: ReachabilityAddress, _ destinationPort: UInt16
  ) {
    let addresses = source.octets + destination.octets
    let zeros = [UInt8](repeating: 0, count: 8)
    network =
      source.family == .v4
      ? [0x45] + zeros + [number, 0, 0] + addresses : [0x60, 0, 0, 0, 0, 0, number, 64] + addresses
    transport = [sourcePort, destinationPort].flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
  }
}

@Suite(.deadline) struct FlowTests {
  private static let flow = Flow(
    .tcp, to: "10.9.0.1", port: 443, from: "10.1.0.1", localPort: 40000)

  private func match(_ packet: TestPacket, _ flow: Flow = flow) -> Flow.Match? {
    flow.match(packet.network, packet.transport)
  }

  @Test func `the packets of the socket, and the answers to them, match exactly`() {
    let sent = TestPacket(from: "10.1.0.1", 40000, to: "10.9.0.1", 443)
    let received = TestPacket(from: "10.9.0.1", 443, to: "10.1.0.1", 40000)
    #expect(match(sent) == Flow.Match(isOutgoing: true, isExact: true))
    #expect(match(received) == Flow.Match(isOutgoing: false, isExact: true))
    let six = Flow(.udp, to: "fd00::9", port: 53, localPort: 5)
    #expect(
      match(TestPacket(17, from: "fd00::1", 5, to: "fd00::9", 53), six)
        == Flow.Match(isOutgoing: true, isExact: true))
    #expect(
      match(TestPacket(17, from: "fd00::9", 53, to: "fd00::1", 5), six)
        == Flow.Match(isOutgoing: false, isExact: true))
  }

  @Test(arguments: [
    TestPacket(17, from: "10.1.0.1", 40000, to: "10.9.0.1", 443),
    TestPacket(from: "10.1.0.1", 40001, to: "10.9.0.2", 443),
    TestPacket(from: "10.1.0.2", 40000, to: "10.9.0.1", 444),
    TestPacket(from: "fd00::1", 40000, to: "fd00::9", 443),
  ])
  func `a packet of another protocol, port or address does not match`(_ packet: TestPacket) {
    #expect(match(packet) == nil)
  }

  @Test func `a packet of which NAT has replaced one end matches, but not exactly`() {
    let replaced = [
      (TestPacket(from: "192.0.2.1", 1024, to: "10.9.0.1", 443), true),
      (TestPacket(from: "10.1.0.1", 40000, to: "127.0.0.1", 8080), true),
      (TestPacket(from: "127.0.0.1", 8080, to: "10.1.0.1", 40000), false),
      (TestPacket(from: "10.9.0.1", 443, to: "192.0.2.1", 1024), false),
    ]
    for (packet, isOutgoing) in replaced {
      #expect(match(packet) == Flow.Match(isOutgoing: isOutgoing, isExact: false), "\(packet)")
    }
  }

  @Test func `headers that are cut short match nothing`() {
    let whole = TestPacket(from: "10.1.0.1", 40000, to: "10.9.0.1", 443)
    for count in 0..<20 {
      #expect(Self.flow.match(Array(whole.network.prefix(count)), whole.transport) == nil)
    }
    for count in 0..<4 {
      #expect(Self.flow.match(whole.network, Array(whole.transport.prefix(count))) == nil)
    }
  }
}
