// SPDX-License-Identifier: Apache-2.0
import DeadlineSupport
import InternetProtocol
import Netlink
import NetlinkSupport
import Testing

@testable import PacketTrace

/// The transaction as bytes; the live tests show that the kernel accepts it.
@Suite(.deadline) struct TraceTableTests {
  private static let flow = Flow(.tcp, to: "10.9.0.1", port: 443, localPort: 40000)

  private func messages(_ table: TraceTable) throws -> [(type: UInt16, sequence: UInt32, payload: [UInt8])] {
    var encoder = MessageEncoder()
    table.encode(into: &encoder)
    let bytes = encoder.bytes
    let span = RawSpan(_elements: bytes.span)
    var reader = MessageReader(in: 0..<bytes.count)
    var messages: [(UInt16, UInt32, [UInt8])] = []
    while let message = try reader.next(span) {
      messages.append(
        (message.header.type.rawValue, message.header.sequence, Array(bytes[message.payload])))
    }
    return messages
  }

  @Test func `one transaction makes a table, three chains and a rule in each`() throws {
    let messages = try messages(TraceTable(for: Self.flow, randomNumber: 7))
    #expect(messages.map(\.type) == [16, 0xa00, 0xa03, 0xa03, 0xa03, 0xa06, 0xa06, 0xa06, 17])
    #expect(messages.map(\.sequence) == Array(1...9))
    #expect(messages[0].payload == [0, 0, 0, 10] && messages[8].payload == [0, 0, 0, 10])
  }

  @Test func `the name has all digits of a number, and the table an owner`() throws {
    let table = TraceTable(for: Self.flow, randomNumber: 0xab)
    #expect(table.name == "reachability-trace-00000000000000ab")
    let payload = try messages(table)[1].payload
    // NFTA_TABLE_NAME and NFTA_TABLE_FLAGS, NFT_TABLE_F_OWNER.
    let name = [40, 0, 1, 0] + Array(table.name.utf8) + [0]
    #expect(payload == [1, 0, 0, 0] + name + [8, 0, 2, 0, 0, 0, 0, 2])
  }

  @Test func `a rule compares the whole flow, in its direction`() throws {
    let payloads = try messages(TraceTable(for: Self.flow, randomNumber: 7))[5..<8].map(\.payload)
    let (remote, ports): ([UInt8], [UInt8]) = ([10, 9, 0, 1], [0x01, 0xbb, 0x9c, 0x40])
    for (payload, isOutgoing) in [(payloads[0], false), (payloads[2], true)] {
      #expect(payload.contains(remote))
      #expect(payload.contains(isOutgoing ? Array(ports.suffix(2) + ports.prefix(2)) : ports))
    }
    // NAT has not yet restored the sender there.
    #expect(payloads[1].contains(Array(ports.suffix(2))) && !payloads[1].contains(remote))
    // The port may be that of another socket with another address.
    let bound = Flow(.tcp, to: "10.9.0.1", port: 443, from: "10.1.0.7", localPort: 40000)
    #expect(try messages(TraceTable(for: bound, randomNumber: 7))[6].payload.contains([10, 1, 0, 7]))
  }

  @Test func `an IPv6 address is compared whole`() throws {
    let flow = Flow(.udp, to: "fd00:1::9", port: 53, localPort: 40000)
    let payloads = try messages(TraceTable(for: flow, randomNumber: 7))[5..<8].map(\.payload)
    #expect(payloads.map { $0.contains(flow.remote.octets) } == [true, false, true])
  }
}
